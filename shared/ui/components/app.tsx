import { AcceptPane } from './accept-pane.tsx'
import { BackupPane } from './backup-pane.tsx'
import { BlockedPage } from './blocked-page.tsx'
import { ChannelListPane } from './channel-list.tsx'
import { ConversationPane } from './conversation-pane.tsx'
import { FirstRun } from './first-run.tsx'
import { InvitePane } from './invite-pane.tsx'
import { Mark } from './mark.tsx'
import { ProblemLine } from './problem-line.tsx'
import { Rail } from './rail.tsx'
import { SettingsPane } from './settings-pane.tsx'
import { SharePane } from './share-pane.tsx'
import { UpdateBar } from './update-bar.tsx'
import { useModel } from './use-model.ts'
import './app.css'

export function App() {
  const { announcement } = useModel()
  return (
    <>
      <UpdateBar />
      <Screen />
      <div class="sr-only" role="status" aria-live="polite" data-testid="announcement">
        {announcement.value}
      </div>
    </>
  )
}

function Screen() {
  const { account, isReady, problem, strings } = useModel()
  if (!isReady.value) return null
  const now = account.value
  if (now === undefined) {
    return (
      <main class="page">
        <ProblemLine problem={problem.value} />
        <button type="button" class="button" onClick={() => location.reload()}>
          {strings.value.reload}
        </button>
      </main>
    )
  }
  if (now.state === 'blocked') return <BlockedPage problem={now.problem} />
  if (now.state === 'none') return <FirstRun />
  return <Panes />
}

function Panes() {
  const { shell } = useModel()
  const { at } = shell.router.route.value
  return (
    <div class="panes" data-at={at}>
      {shell.kind !== 'popup' && <Rail />}
      <main>
        <ChannelListPane />
        <div class="detail">
          <Detail />
        </div>
      </main>
    </div>
  )
}

function Detail() {
  const { shell, strings, channels } = useModel()
  const route = shell.router.route.value
  switch (route.at) {
    case 'channel':
      return <ConversationPane channelId={route.channelId} />
    case 'invite':
      return <InvitePane />
    case 'accept':
      return <AcceptPane />
    case 'settings':
      return <SettingsPane />
    case 'backup':
      return <BackupPane />
    case 'share':
      return <SharePane />
    case 'list':
      // An empty list has its own one thing to say.
      if (channels.value?.length === 0) return null
      return (
        <div class="nothing-chosen">
          <Mark size={40} />
          <p>{strings.value.list.choose}</p>
        </div>
      )
  }
}
