import { UserPlus } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChannelDetails, MemberView } from '#app/face.ts'
import { findPeople } from '../state/find-people.ts'
import { Field } from './field.tsx'
import { later } from './later.tsx'
import { MemberItem } from './member-item.tsx'
import { RemoveMember } from './remove-member.tsx'
import { useModel } from './use-model.ts'
import './step-link.css'

const ShareHistory = later(async () => (await import('./share-history.tsx')).ShareHistory)

const FIND_FROM = 8
/** Of hundreds, as many as somebody reads before they type a name. */
const SHOWN = 50

type Props = { readonly details: ChannelDetails; readonly isIn: boolean }

/** Who is in it, this account first, and for whoever may: more people, other roles, out (C-04, C-05). */
export function DetailsMembers({ details, isIn }: Props) {
  const { shell, strings, times } = useModel()
  const t = strings.value.details
  const [wanted, setWanted] = useState('')
  const [isWhole, setWhole] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // The button that was pressed is gone: a keyboard goes on where the list does.
    if (isWhole) list.current?.children[SHOWN]?.querySelector<HTMLElement>('a, button')?.focus()
  }, [isWhole])
  const found = findPeople(details.members, wanted)
  const shown = isWhole ? found : found.slice(0, SHOWN)
  const [leaving, setLeaving] = useState<MemberView>()
  const [sharing, setSharing] = useState<MemberView>()
  return (
    <>
      <h2>{t.members(times.value.count(details.members.length))}</h2>
      {isIn && details.can.add && (
        <button type="button" class="button" onClick={() => shell.router.go({ at: 'add', channelId: details.id })}>
          <UserPlus size={16} />
          {t.add}
        </button>
      )}
      {details.members.length >= FIND_FROM && (
        <Field label={strings.value.newGroup.find} value={wanted} onInput={setWanted} />
      )}
      <ul class="steps" ref={list}>
        {shown.map((member) => (
          <li key={member.id}>
            <MemberItem
              member={member}
              channel={details}
              mayChangeRole={isIn && details.can.roles && details.kind === 'group'}
              onShare={isIn && member.canShareTo ? () => setSharing(member) : undefined}
              onRemove={isIn && member.canRemove ? () => setLeaving(member) : undefined}
            />
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0 ? strings.value.newGroup.nobodyFound : ''}
      </p>
      {shown.length < found.length && (
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          {t.showAll(times.value.count(found.length))}
        </button>
      )}
      {sharing !== undefined && (
        <ShareHistory member={sharing} channelId={details.id} onClose={() => setSharing(undefined)} />
      )}
      {leaving !== undefined && (
        <RemoveMember
          member={leaving}
          channelId={details.id}
          isSpace={details.space !== undefined}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}
