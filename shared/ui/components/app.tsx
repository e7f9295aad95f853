import { BlockedPage } from './blocked-page.tsx'
import { ChannelListPane, hasNobody } from './channel-list.tsx'
import { ConversationPane } from './conversation-pane.tsx'
import { FirstRun } from './first-run.tsx'
import { later } from './later.tsx'
import { LockPage } from './lock-page.tsx'
import { Mark } from './mark.tsx'
import { ProblemLine } from './problem-line.tsx'
import { Rail } from './rail.tsx'
import { RevokedPage } from './revoked-page.tsx'
import { UpdateBar } from './update-bar.tsx'
import { useModel } from './use-model.ts'
import './app.css'

const panes = () => import('./panes.ts')

const AddPane = later(async () => (await panes()).AddPane)
const AcceptPane = later(async () => (await panes()).AcceptPane)
const ArchivePane = later(async () => (await panes()).ArchivePane)
const BackupPane = later(async () => (await panes()).BackupPane)
const DetailsPane = later(async () => (await panes()).DetailsPane)
const DevicesPane = later(async () => (await panes()).DevicesPane)
const DoorsPane = later(async () => (await panes()).DoorsPane)
const FindChannelPane = later(async () => (await panes()).FindChannelPane)
const GroupLinkPane = later(async () => (await panes()).GroupLinkPane)
const GroupPane = later(async () => (await panes()).GroupPane)
const HealthPane = later(async () => (await panes()).HealthPane)
const InvitePane = later(async () => (await panes()).InvitePane)
const LinkPane = later(async () => (await panes()).LinkPane)
const LockPane = later(async () => (await panes()).LockPane)
const NewSpacePane = later(async () => (await panes()).NewSpacePane)
const PeoplePane = later(async () => (await panes()).PeoplePane)
const PersonPane = later(async () => (await panes()).PersonPane)
const RestorePage = later(async () => (await panes()).RestorePage)
const SettingsPane = later(async () => (await panes()).SettingsPane)
const SharePane = later(async () => (await panes()).SharePane)
const SpacePane = later(async () => (await panes()).SpacePane)

export function App() {
  const { account, announcement } = useModel()
  return (
    <>
      {account.value?.state !== 'locked' && <UpdateBar />}
      <Screen />
      <div class="sr-only" role="status" aria-live="polite" data-testid="announcement">
        {announcement.value}
      </div>
    </>
  )
}

function Screen() {
  const { account, isReady, linking, problem, shell, startsAnew, strings } = useModel()
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
  if (now.state === 'locked') return <LockPage doors={now.doors} />
  if (now.state === 'revoked' && !startsAnew.value) return <RevokedPage />
  if (now.state === 'ready') return <Panes />
  const isRestoring = shell.router.route.value.at === 'restore' || linking.value.state !== 'none'
  return isRestoring ? <RestorePage /> : <FirstRun />
}

function Panes() {
  const { shell } = useModel()
  const { at } = shell.router.route.value
  return (
    <div class="panes" data-at={at === 'restore' ? 'list' : at}>
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
    case 'details': {
      const channel = route.at === 'details' && channels.value?.find(({ id }) => id === route.channelId)
      return (
        <div class="beside">
          <ConversationPane channelId={route.channelId} />
          {channel && <DetailsPane channel={channel} />}
        </div>
      )
    }
    case 'add':
      return <AddPane channelId={route.channelId} />
    case 'space':
      return <SpacePane channelId={route.channelId} />
    case 'newSpace':
      return <NewSpacePane />
    case 'groupLink':
      return <GroupLinkPane channelId={route.channelId} />
    case 'find':
      return <FindChannelPane />
    case 'group':
      return <GroupPane />
    case 'people':
      return <PeoplePane />
    case 'person':
      return <PersonPane personId={route.personId} />
    case 'health':
      return <HealthPane />
    case 'invite':
      return <InvitePane />
    case 'accept':
      return <AcceptPane />
    case 'settings':
      return <SettingsPane />
    case 'devices':
      return <DevicesPane />
    case 'link':
      return <LinkPane />
    case 'doors':
      return <DoorsPane />
    case 'lock':
      return <LockPane />
    case 'archive':
      return <ArchivePane />
    case 'backup':
      return <BackupPane />
    case 'share':
      return <SharePane />
    case 'list':
    case 'restore':
      // An empty list has its own one thing to say.
      if (hasNobody(channels.value)) return null
      return (
        <div class="nothing-chosen">
          <Mark size={40} />
          <p>{strings.value.list.choose}</p>
        </div>
      )
  }
}
