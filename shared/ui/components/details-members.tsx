import { UserPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { ChannelDetails, MemberView } from '#app/face.ts'
import { later } from './later.tsx'
import { MemberItem } from './member-item.tsx'
import { RemoveMember } from './remove-member.tsx'
import { useModel } from './use-model.ts'
import './step-link.css'

const ShareHistory = later(async () => (await import('./share-history.tsx')).ShareHistory)

type Props = { readonly details: ChannelDetails; readonly isIn: boolean }

/** Who is in it, this account first, and for whoever may: more people, other roles, out (C-04, C-05). */
export function DetailsMembers({ details, isIn }: Props) {
  const { shell, strings, times } = useModel()
  const t = strings.value.details
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
      <ul class="steps">
        {details.members.map((member) => (
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
