import { Download } from 'lucide-preact'
import { saveFile } from '../save-file.ts'
import { PaneHead } from './pane-head.tsx'
import { SecretCode } from './secret-code.tsx'
import { useModel } from './use-model.ts'

type Props = { readonly card: string; readonly onKept: () => void }

/** Shown once: what finds a passphrase's door again. It opens nothing by itself (K-09). */
export function DoorCard({ card, onKept }: Props) {
  const t = useModel().strings.value.doors
  return (
    <section class="pane" aria-label={t.cardTitle}>
      <PaneHead title={t.cardTitle} of="card" onBack={onKept} />
      <div class="pane-body">
        <p>{t.cardLead}</p>
        <SecretCode text={card} label={t.card} qrLabel={t.cardQr} copyLabel={t.copyCard} />
        <div class="acts">
          <button type="button" class="button primary" onClick={onKept}>
            {t.cardDone}
          </button>
          <button type="button" class="button" onClick={() => saveFile('stave-card.txt', new Blob([`${card}\n`]))}>
            <Download size={16} />
            {t.saveCard}
          </button>
        </div>
      </div>
    </section>
  )
}
