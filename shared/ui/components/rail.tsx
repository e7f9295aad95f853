import { MailOpen, MessageSquare, Settings, UsersRound } from 'lucide-preact'
import type { Route } from '../state/router.ts'
import { spacesByTitle } from '../state/space-list.ts'
import { initials } from './channel-row.tsx'
import { GroupPicture } from './group-picture.tsx'
import { Mark } from './mark.tsx'
import { useModel } from './use-model.ts'
import './rail.css'

const SETTINGS: ReadonlySet<Route['at']> = new Set([
  'settings',
  'devices',
  'link',
  'doors',
  'lock',
  'archive',
  'backup',
  'health',
])
const TALKING: ReadonlySet<Route['at']> = new Set(['list', 'channel', 'details', 'add', 'group', 'newSpace'])

/** The narrow column of a wide window: all conversations, an invitation, the settings. */
export function Rail() {
  const { shell, strings, unread } = useModel()
  const t = strings.value
  const at = shell.router.route.value.at
  const step = (to: Route, label: string, isHere: boolean, icon: preact.JSX.Element, badge = 0) => (
    <button
      type="button"
      class="rail-step"
      aria-label={badge > 0 ? `${label}, ${t.list.unread(badge)}` : label}
      title={label}
      aria-current={isHere ? 'true' : undefined}
      onClick={() => shell.router.go(to)}
    >
      {icon}
      {badge > 0 && <span class="rail-dot" />}
    </button>
  )
  return (
    <nav class="rail" aria-label="Stave">
      <Mark size={28} />
      {step({ at: 'list' }, t.list.title, TALKING.has(at), <MessageSquare size={20} />, unread.value)}
      {step({ at: 'people' }, t.people.title, at === 'people' || at === 'person', <UsersRound size={20} />)}
      {step({ at: 'accept' }, t.accept.title, at === 'accept', <MailOpen size={20} />)}
      <RailSpaces />
      {step({ at: 'settings' }, t.list.settings, SETTINGS.has(at), <Settings size={20} />)}
    </nav>
  )
}

/** Each space has a place of its own (C-10). They scroll where there are many. */
function RailSpaces() {
  const { channels, shell, strings } = useModel()
  const t = strings.value
  const route = shell.router.route.value
  return (
    <div class="rail-space">
      {spacesByTitle(channels.value ?? []).map(({ id, title, avatar, unread }) => (
        <button
          key={id}
          type="button"
          class="rail-step"
          title={title}
          aria-current={route.at === 'space' && route.channelId === id ? 'true' : undefined}
          onClick={() => shell.router.go({ at: 'space', channelId: id })}
        >
          {avatar === undefined ? (
            <span aria-hidden="true">{initials(title)}</span>
          ) : (
            <GroupPicture class="rail-picture" bytes={avatar} />
          )}
          <span class="sr-only">
            {t.spaces.about(title)}
            {unread > 0 && `, ${t.list.unread(unread)}`}
          </span>
          {unread > 0 && <span class="rail-dot" />}
        </button>
      ))}
    </div>
  )
}
