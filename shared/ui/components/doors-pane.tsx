import { useEffect, useState } from 'preact/hooks'
import type { DoorView } from '#app/face.ts'
import { DoorCard } from './door-card.tsx'
import { DoorItem } from './door-item.tsx'
import { DoorPasskey } from './door-passkey.tsx'
import { DoorPassphrase } from './door-passphrase.tsx'
import { PaneHead } from './pane-head.tsx'
import { ProblemLine } from './problem-line.tsx'
import { RemoveDoor } from './remove-door.tsx'
import { useModel } from './use-model.ts'
import './settings-pane.css'
import './step-link.css'

/** What opens the account on a new device (K-09). */
export function DoorsPane() {
  const { account, doors, problem, read, strings } = useModel()
  const t = strings.value.doors
  const [card, setCard] = useState<string>()
  const [leaving, setLeaving] = useState<DoorView>()
  const holdsRoot = account.value?.state === 'ready' && account.value.holdsRoot
  useEffect(() => {
    read.doors()
  }, [])
  if (card !== undefined) return <DoorCard card={card} onKept={() => setCard(undefined)} />
  return (
    <section class="pane settings" aria-label={t.title}>
      <PaneHead title={t.title} of="doors" />
      <div class="pane-body">
        <p>{t.lead}</p>
        <ProblemLine problem={problem.value} />
        <ul class="steps">
          {doors.value?.map((door) => (
            <li key={door.id}>
              <DoorItem door={door} onRemove={holdsRoot ? () => setLeaving(door) : undefined} />
            </li>
          ))}
        </ul>
        {holdsRoot ? (
          <>
            <DoorPassphrase onCard={setCard} />
            <DoorPasskey />
          </>
        ) : (
          <p class="hint">{t.noRoot}</p>
        )}
        {leaving !== undefined && <RemoveDoor door={leaving} onClose={() => setLeaving(undefined)} />}
      </div>
    </section>
  )
}
