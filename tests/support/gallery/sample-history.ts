import type { GroupNotice, Line, MemberView } from '#app/face.ts'
import type { MemoryFace } from '../memory-face.ts'
import { myself } from '../memory-groups.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Hills and a sun, 32 by 32. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAgUlEQVR42u3TMQ6AIAyF4R7MQzh7Ek/CcZidOY6TMQ5CoVJsGZo0eUm3/5sKIaapAwdsA+ex5VMGUJ0yQLHeNEC3XhsO2AS+jWVf8yn/AaqLgNqo61IgxNSMqgHdugjg1G/gOZPqLzBk8OsFwDSG6hjoGqP1BkAZP9IkoDsHHDAAXCRjwvuTHU0mAAAAAElFTkSuQmCC'

/** C-11, C-13, M-04: a group with a picture and a timer; what was before was shared, and somebody offers more than is taken unasked. */
export function addHistory(face: MemoryFace, nowMs: number): void {
  const carpenter = { id: 'carpenter', name: 'Carpenter', mine: false }
  const text = (order: number, minutesAgo: number, words: string, more: Partial<Line> = {}): Line =>
    ({
      id: `walks-${order}`,
      order,
      atMs: nowMs - minutesAgo * MINUTE,
      author: carpenter,
      kind: 'text',
      text: words,
      state: 'delivered',
      ...more,
    }) as Line
  const told = { sharedBy: carpenter } as Partial<Line>
  const notice = (
    order: number,
    more: Pick<GroupNotice, 'notice' | 'value' | 'names'> & { readonly me?: true },
  ): Line => ({
    id: `walks-${order}`,
    order,
    atMs: nowMs - 200 * MINUTE,
    author: carpenter,
    kind: 'group',
    by: 'Carpenter',
    count: 1,
    ...more,
  })
  const member = (id: string, name: string, more: Partial<MemberView> = {}): MemberView => ({
    ...{ ...myself, id, name, role: 'member', mine: false, known: true, canRemove: true },
    ...more,
  })
  const goes = { vanishesAtMs: nowMs + DAY - 90 * MINUTE } as Partial<Line>
  face.addChannel(
    'walks',
    'Sunday walks',
    [
      text(1, 9 * 1440, 'The bridge by the mill is closed until spring.', told),
      text(2, 9 * 1440 - 2, 'Then along the other bank, and back by the weir.', told),
      notice(3, { notice: 'shared', value: '1204', names: [''], me: true }),
      notice(4, { notice: 'timer', value: String(DAY), names: [] }),
      text(5, 90, 'Half past nine at the mill?', goes),
      text(6, 80, 'I bring soup.', { ...goes, author: { id: 'me', name: 'Noa', mine: true } }),
    ],
    {
      kind: 'group',
      details: {
        topic: '',
        avatar: Uint8Array.from(atob(PICTURE), (sign) => sign.charCodeAt(0)),
        timerMs: DAY,
        members: [
          { ...myself, name: 'Noa' },
          member('carpenter', 'Carpenter', { role: 'admin', verified: true }),
          member('print', 'Print shop', { canShareTo: true }),
        ],
        myRole: 'owner',
        can: { add: true, profile: true, roles: true, leave: false },
        waiting: [],
        missing: [],
        keys: 'hybrid',
      },
    },
  )
  face.offers.set('walks', [{ id: 'offer', by: 'Print shop', count: 12_480 }])
}
