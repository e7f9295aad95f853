import { FileKey, FingerprintPattern, KeyRound, MonitorSmartphone } from 'lucide-preact'
import type { RestoreWay } from '../state/router.ts'
import { LinkNew } from './link-new.tsx'
import { PaneHead } from './pane-head.tsx'
import { RestoreBy } from './restore-by.tsx'
import { RestoreCard } from './restore-card.tsx'
import { RestorePasskey } from './restore-passkey.tsx'
import { RestoreWords } from './restore-words.tsx'
import { StepLink } from './step-link.tsx'
import { useModel } from './use-model.ts'
import { usePasskeys } from './use-passkeys.ts'
import './restore-page.css'

/** Somebody who has an identity already comes to a new device (K-03, K-06, K-09). */
export function RestorePage() {
  const { shell, linking, strings } = useModel()
  const route = shell.router.route.value
  const { ways } = strings.value.restore
  // A popup forgets where it was; the link goes on in the engine.
  const by = linking.value.state !== 'none' ? 'link' : route.at === 'restore' ? route.by : undefined
  return (
    <main class="single">
      {by === undefined && <Ways />}
      {by === 'words' && <RestoreBy title={ways.words} Form={RestoreWords} />}
      {by === 'passphrase' && <RestoreBy title={ways.passphrase} Form={RestoreCard} />}
      {by === 'passkey' && <RestoreBy title={ways.passkey} Form={RestorePasskey} />}
      {by === 'link' && <LinkNew />}
    </main>
  )
}

const ICONS = { words: FileKey, link: MonitorSmartphone, passphrase: KeyRound, passkey: FingerprintPattern }

function Ways() {
  const t = useModel().strings.value.restore
  const hasPasskeys = usePasskeys()
  const ways: readonly RestoreWay[] = ['words', 'link', 'passphrase', ...(hasPasskeys ? (['passkey'] as const) : [])]
  return (
    <section class="pane" aria-label={t.title}>
      <PaneHead title={t.title} />
      <div class="pane-body">
        <p>{t.lead}</p>
        <ul class="steps">
          {ways.map((by) => {
            const Icon = ICONS[by]
            return (
              <li key={by}>
                <StepLink to={{ at: 'restore', by }} label={t.ways[by]} hint={t.hints[by]} icon={<Icon size={20} />} />
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
