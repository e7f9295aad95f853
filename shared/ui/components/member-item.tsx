import { BadgeCheck } from 'lucide-preact'
import type { ChannelDetails, MemberView, Role } from '#app/face.ts'
import { ProblemLine } from './problem-line.tsx'
import { RouteLink } from './route-link.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import './member-item.css'

type Props = {
  readonly member: MemberView
  readonly channel: ChannelDetails
  readonly mayChangeRole: boolean
  readonly onRemove: (() => void) | undefined
  readonly onShare: (() => void) | undefined
}

const ROLES: readonly Role[] = ['owner', 'admin', 'member']

export function MemberItem({ member, channel, mayChangeRole, onRemove, onShare }: Props) {
  const { face, read, strings } = useModel()
  const t = strings.value.details
  const { problem, run } = useAct()
  const name = member.name === '' ? t.unknown : member.name
  const setRole = (role: Role) =>
    run(async () => {
      await face.setRole(channel.id, member.id, role)
      await read.details()
    })
  return (
    <div class="member" data-testid="member" data-role={member.role}>
      <span class="member-name">
        {member.known && !member.mine ? (
          <RouteLink to={{ at: 'person', personId: member.id }}>
            <bdi>{name}</bdi>
          </RouteLink>
        ) : (
          <bdi>{name}</bdi>
        )}
        {member.mine && <span class="chip">{t.you}</span>}
        {member.verified && (
          <span class="chip">
            <BadgeCheck size={14} />
            {strings.value.people.verified}
          </span>
        )}
      </span>
      <span class="hint">
        {channel.kind === 'group' && !mayChangeRole && `${t.roles[member.role]} · `}
        {t.devices(member.devices)}
      </span>
      {(mayChangeRole || onRemove !== undefined || onShare !== undefined) && (
        <span class="member-acts">
          {mayChangeRole && (
            <select
              aria-label={t.roleOf(name)}
              value={member.role}
              onChange={(event) => {
                setRole(event.currentTarget.value as Role)
                event.currentTarget.value = member.role // it changes when the change is ordered
              }}
            >
              {ROLES.map((role) => (
                <option key={role} value={role}>
                  {t.roles[role]}
                </option>
              ))}
            </select>
          )}
          {onShare !== undefined && (
            <button
              type="button"
              class="text-button"
              aria-label={strings.value.history.shareLabel(name)}
              onClick={onShare}
            >
              {strings.value.history.share}
            </button>
          )}
          {onRemove !== undefined && (
            <button type="button" class="text-button is-danger" aria-label={t.removeLabel(name)} onClick={onRemove}>
              {t.remove}
            </button>
          )}
        </span>
      )}
      <ProblemLine problem={problem} />
    </div>
  )
}
