import type { GroupNotice, Line, MemberView, PersonView, Role } from '#app/face.ts'
import { FINGERPRINT } from '../memory-account.ts'
import { MemoryFace } from '../memory-face.ts'
import { myself } from '../memory-groups.ts'
import { addHistory } from './sample-history.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

type Said = readonly [from: 'me' | 'them', minutesAgo: number, text: string, more?: Partial<Line>]

function said(nowMs: number, them: string, rows: readonly Said[]): Line[] {
  return rows.map(([from, minutesAgo, text, more], index) => ({
    id: `${them}-${index}`,
    order: index + 1,
    atMs: nowMs - minutesAgo * MINUTE,
    author: from === 'me' ? { id: 'me', name: 'Noa', mine: true } : { id: them, name: them, mine: false },
    kind: 'text',
    text,
    state: 'delivered',
    ...more,
  })) as Line[]
}

const LONG = Array.from({ length: 60 }, (_, index) => `${index + 1}. A line of a list that goes on for a while.`).join(
  '\n',
)

/** A device with a few conversations, as a person might have after some weeks. */
export function sampleFace(nowMs: number): MemoryFace {
  const face = new MemoryFace()
  face.nowMs = nowMs
  face.accountView = {
    state: 'ready',
    name: 'Noa',
    deviceName: 'Chrome on Linux',
    backedUp: true,
    fingerprint: FINGERPRINT,
    holdsRoot: true,
    persistent: true,
  }
  face.words =
    'orbit canvas lemon harbor pencil winter sister garden velvet museum copper island planet saddle timber violin walnut meadow anchor bridge candle desert forest glance'.split(
      ' ',
    )
  face.addChannel(
    'notes',
    '',
    said(nowMs, '', [
      ['me', 3 * 1440, 'Ask the library about the reading room on Friday.', { state: 'sent' } as Partial<Line>],
      ['me', 95, 'Boat shed: the key hangs behind the second oar.', { state: 'sent' } as Partial<Line>],
    ]),
    { kind: 'notes' },
  )
  face.addChannel(
    'rowing',
    'Rowing club',
    said(nowMs, 'Rowing club', [
      ['them', 1500, 'Are you coming on Saturday? We start at the boathouse and walk up along the river.'],
      ['me', 1490, 'Yes. I can bring the big thermos.'],
      ['me', 1489, 'And the map, if I find it.'],
      ['them', 1488, 'Perfect'],
      [
        'them',
        64,
        'The forecast changed: rain until ten, then clear.\nhttps://weather.example/river-valley (the second table).',
      ],
      ['them', 63, 'So half past ten?'],
      ['me', 42, 'Half past ten is fine. I told the others, nobody minds sleeping in.'],
      ['me', 41, 'See you at the boathouse', { state: 'sent' } as Partial<Line>],
      ['them', 12, 'One more thing: שלום לכולם, as my grandfather writes.\nمرحبا بكم جميعا\nAnd back to English.'],
      ['them', 11, 'Could somebody bring cups?'],
    ]),
    { readUpTo: 8 },
  )
  face.addChannel(
    'carpenter',
    'Carpenter',
    said(nowMs, 'Carpenter', [
      ['them', 260, 'The parts came. I can start on Monday.'],
      ['me', 250, 'Good. The key is with the neighbour.', { state: 'delivered' } as Partial<Line>],
      ['me', 31, 'Did you measure the door?', { state: 'failed', failure: 'quota/mailbox' } as Partial<Line>],
    ]),
  )
  face.addChannel(
    'print',
    'Print shop',
    said(nowMs, 'Print shop', [
      ['me', 2 * 1440 + 30, LONG],
      ['them', 2 * 1440, 'Got the list. Proofs will be ready by Thursday, both sizes, matt paper.'],
    ]),
    { draft: 'Thursday works. Could you also' },
  )
  face.addChannel(
    'library',
    'הספרייה',
    said(nowMs, 'הספרייה', [
      ['them', 5 * 1440, 'מתי נפגשים מחר? אפשר בשש ליד הספרייה.'],
      ['me', 5 * 1440 - 2, 'בשש מצוין'],
      ['me', 5 * 1440 - 3, 'אביא את הספר (the blue one)'],
    ]),
  )
  face.addChannel('new', 'The neighbours', [], { state: 'joining' })
  face.addChannel(
    'returning',
    'Allotment',
    [
      {
        id: 'gap',
        order: 1,
        atMs: nowMs - 3 * DAY,
        author: { id: '', name: '', mine: false },
        kind: 'notice',
        notice: 'gap',
        name: '',
      },
      ...said(nowMs, 'Allotment', [
        ['them', 2 * 1440, 'The water is off until Tuesday.'],
        ['me', 2 * 1440 - 5, 'Good to know.'],
      ]).map((line) => ({ ...line, order: line.order + 1 })),
    ],
    { state: 'returning' },
  )
  const many = Array.from({ length: 1200 }, (_, index): Said => {
    const minutes = (1200 - index) * 7 + 10 * 1440
    return [
      index % 3 === 0 ? 'me' : 'them',
      minutes,
      `Message ${index + 1}${index % 7 === 0 ? `\n${'more words here '.repeat(20)}` : ''}`,
    ]
  })
  face.addChannel('choir', 'Choir secretary', said(nowMs, 'Choir secretary', many))
  addPeople(face, nowMs)
  addGroups(face, nowMs)
  addHistory(face, nowMs)
  const today = Math.floor(nowMs / DAY)
  face.deviceViews = [
    {
      id: 'd1',
      name: 'Chrome on Linux',
      kind: 'web',
      here: true,
      holdsRoot: true,
      linkedBy: '',
      seenDay: today,
    },
    {
      id: 'd2',
      name: 'Firefox on Android',
      kind: 'web',
      here: false,
      holdsRoot: false,
      linkedBy: 'Chrome on Linux',
      seenDay: today - 1,
    },
    {
      id: 'd3',
      name: 'Work laptop',
      kind: 'extension',
      here: false,
      holdsRoot: false,
      linkedBy: 'Chrome on Linux',
      seenDay: today - 41,
      revoking: { step: 'channels', left: 3 },
    },
  ]
  face.doorViews = [
    { id: 'p', kind: 'phrase', name: '' },
    { id: 'd', kind: 'device', name: 'Firefox on Android' },
    { id: 'w', kind: 'passphrase', name: '' },
  ]
  face.invitationViews = [
    { id: 'i1', link: 'https://stave.example/i#older', expiresAtMs: nowMs + 3 * DAY, state: 'open' },
    { id: 'i2', link: 'https://stave.example/i#used', expiresAtMs: nowMs + DAY, state: 'used', channelId: 'print' },
  ]
  return face
}

function addPeople(face: MemoryFace, nowMs: number): void {
  const person = (id: string, name: string, more: Partial<PersonView> = {}): PersonView => ({
    id,
    name,
    fingerprint: `${FINGERPRINT.slice(id.length)}${FINGERPRINT.slice(0, id.length)}`,
    verified: false,
    sameName: false,
    stopped: false,
    ...more,
  })
  face.personViews = [
    person('carpenter', 'Carpenter', { verified: true, verifiedAtMs: nowMs - 40 * DAY }),
    person('choir', 'Choir secretary', {
      verified: true,
      verifiedAtMs: nowMs - 90 * DAY,
      problem: { kind: 'key-swap', atMs: nowMs - 90 * MINUTE },
      stopped: true,
    }),
    person('print', 'Print shop', { sameName: true }),
    person('print2', 'Print shop', { sameName: true, problem: { kind: 'same-name', atMs: nowMs - DAY } }),
    person('library', 'הספרייה'),
    person('caller', 'Double glazing', { blocked: true }),
    ...['Boat shed', 'Allotment', 'Evening class', 'Repair cafe'].map((name) => person(name, name)),
  ]
  face.alarmViews = [
    { about: 'choir', name: 'Choir secretary', kind: 'key-swap', atMs: nowMs - 90 * MINUTE, looked: false },
    { about: 'own', name: '', kind: 'hidden-device', atMs: nowMs - 3 * DAY, looked: false },
    { about: 'realm', name: '', kind: 'rollback', atMs: nowMs - 20 * DAY, looked: true },
  ]
}

function addGroups(face: MemoryFace, nowMs: number): void {
  const member = (id: string, role: Role, more: Partial<MemberView> = {}): MemberView => ({
    ...myself,
    id,
    name: face.personViews.find((person) => person.id === id)?.name ?? '',
    role,
    mine: false,
    known: true,
    canRemove: true,
    ...more,
  })
  const notice = (order: number, mine: boolean, more: Omit<GroupNotice, 'kind'>): Line => ({
    id: `notice-${order}`,
    order,
    atMs: nowMs - (20 - order) * MINUTE,
    author: mine ? { id: 'me', name: 'Noa', mine } : { id: 'carpenter', name: 'Carpenter', mine },
    kind: 'group',
    ...more,
  })
  const shared = { by: 'Carpenter', count: 1, value: '' }
  face.addChannel(
    'allotment',
    'Allotment roof',
    [
      notice(1, true, { ...shared, notice: 'added', names: ['Carpenter', 'הספרייה'], count: 5 }),
      notice(2, false, { ...shared, notice: 'title', names: [], value: 'Allotment roof' }),
      notice(3, false, { ...shared, notice: 'role', names: ['Noa'], value: 'admin' }),
      ...said(nowMs, 'Carpenter', [
        ['them', 16, 'I have the beams. Who has a ladder?'],
        ['me', 15, 'I do. Two, even.'],
        ['them', 14, 'Was said while the relay was confused.', { aside: true } as Partial<Line>],
      ]).map((line) => ({ ...line, order: line.order + 3 })),
      notice(7, false, { ...shared, notice: 'left', by: 'Print shop', names: [] }),
    ],
    {
      kind: 'group',
      details: {
        topic: 'Mending the roof of the tool shed, on the first dry weekend.',
        timerMs: 0,
        members: [
          { ...myself, name: 'Noa' },
          member('carpenter', 'admin', { verified: true, devices: 3 }),
          member('library', 'member'),
          member('stranger', 'member', { known: false }),
        ],
        myRole: 'owner',
        can: { add: true, profile: true, roles: true, leave: false },
        waiting: ['roles'],
        missing: ['Tool library'],
        keys: 'hybrid',
      },
    },
  )
  addJoins(face, nowMs)
  addSpace(face, nowMs, member)
  face.addChannel('forked', 'Evening class', said(nowMs, 'Evening class', [['them', 300, 'Bring your own clay.']]), {
    kind: 'group',
    state: 'paused',
    more: { forked: true },
  })
  face.addChannel('request', 'Roof offers', said(nowMs, 'Somebody', [['them', 30, 'Good day, are you the owner?']]), {
    kind: 'group',
    more: { request: { from: 'caller', name: 'Double glazing' } },
  })
  face.addChannel('over', 'Old committee', said(nowMs, 'Secretary', [['them', 9000, 'That was all. Thank you.']]), {
    kind: 'group',
    more: { left: 'removed' },
  })
  face.addChannel(
    'loud',
    'Flea market',
    said(nowMs, 'Stall 12', [['them', 200, 'A lamp, two chairs, a box of keys.']]),
    {
      kind: 'group',
      readUpTo: 0,
      more: { muted: {} },
    },
  )
  face.addChannel('stored', 'Old flat', said(nowMs, 'Caretaker', [['them', 90_000, 'The meter reads 4410.']]), {
    more: { archived: true },
  })
  face.moveDetails('choir', { members: [{ ...myself, name: 'Noa' }, member('choir', 'owner', { canRemove: false })] })
  face.moveDetails('print', { members: [{ ...myself, name: 'Noa' }, member('print', 'owner', { canRemove: false })] })
  const well = { kind: 'group', state: 'open', problems: [], healedAtMs: nowMs - 2 * DAY } as const
  face.healthViews = [
    {
      id: 'forked',
      title: 'Evening class',
      kind: 'group',
      state: 'paused',
      problems: [{ what: 'forked', count: 1, cause: 'channel/forked', sinceMs: nowMs - 300 * MINUTE }],
      act: 'repair',
    },
    {
      id: 'returning',
      title: 'Allotment',
      kind: 'direct',
      state: 'returning',
      problems: [
        { what: 'gap', count: 1, cause: 'channel/gap', sinceMs: nowMs - 3 * DAY },
        { what: 'unreadable', count: 4, cause: 'mls/open', sinceMs: nowMs - 3 * DAY },
      ],
    },
    { ...well, id: 'allotment', title: 'Allotment roof', nextHealMs: nowMs + 5 * DAY, act: 'heal' },
  ]
}

type Named = (id: string, role: Role, more?: Partial<MemberView>) => MemberView

/** C-10: a space with three channels; one of them is muted. */
function addSpace(face: MemoryFace, nowMs: number, member: Named): void {
  const members = [
    { ...myself, name: 'Noa' },
    member('carpenter', 'admin', { verified: true, devices: 2 }),
    member('print', 'member'),
    member('stranger', 'member', { known: false }),
  ]
  const home = 'harbour'
  const said1 = said(nowMs, 'Carpenter', [['them', 50, 'The gate code changes on Monday.']])
  face.addChannel(home, 'Harbour sheds', said1, {
    kind: 'group',
    readUpTo: 0,
    more: { space: { id: home } },
    details: {
      topic: 'All who rent a shed at the north quay.',
      timerMs: 0,
      members,
      myRole: 'owner',
      can: { add: true, profile: true, roles: true, leave: false },
      waiting: [],
      missing: [],
      keys: 'hybrid',
      space: { id: home, title: 'Harbour sheds', mayChange: true },
    },
  })
  face.addToMemorySpace(
    home,
    'harbour-tools',
    'Tools to lend',
    said(nowMs, 'Print shop', [['them', 70, 'A drill, and bits up to 12.']]),
  )
  face.addToMemorySpace(
    home,
    'harbour-storm',
    'Storm watch',
    said(nowMs, 'Carpenter', [['them', 400, 'Wind from the north tonight.']]),
  )
  face.moveChannel('harbour-storm', { muted: {} })
}

/** Who would like to come into the group, by a link and by its name; and what this account has asked for itself. */
function addJoins(face: MemoryFace, nowMs: number): void {
  face.moveChannel('allotment', { asking: 2 })
  face.moveDetails('allotment', { named: { name: 'garden/north/roof', state: 'registered' } })
  const common = { channelId: 'allotment', verified: false, note: '', fingerprint: FINGERPRINT } as const
  face.joinViews = [
    {
      ...common,
      ...{ id: 'ask', by: 'name', personId: 'seeds', name: 'Seed swap', known: false, state: 'asked' },
      note: 'We share the hedge with you. One of us is a roofer.',
      atMs: nowMs - 50 * MINUTE,
    },
    {
      ...common,
      ...{
        id: 'claimed',
        by: 'invitation',
        personId: 'boat',
        name: 'Boat shed',
        known: true,
        putOut: true,
        state: 'asked',
      },
      verified: true,
      atMs: nowMs - 20 * MINUTE,
    },
    {
      ...common,
      ...{ id: 'failed', by: 'invitation', personId: 'gone', name: 'Old tenant', known: false, state: 'failed' },
      why: 'join/unreachable',
      atMs: nowMs - 15 * DAY,
    },
  ]
  face.names.add('garden/north/roof')
  face.askedViews = [
    { id: 'a', name: 'club/harbour/rowing', note: '', atMs: nowMs - DAY, state: 'waiting' },
    { id: 'b', name: 'club/harbour/choir', note: '', atMs: nowMs - 3 * DAY, state: 'in', channelId: 'choir' },
    { id: 'c', name: 'street/lime/market', note: '', atMs: nowMs - 20 * DAY, state: 'expired' },
  ]
  const channel = { title: 'Allotment roof', ask: true }
  face.previews.set('https://stave.example/i#waiting', { name: 'Carpenter', known: false, channel })
}
