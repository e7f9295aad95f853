import { AppWindow, FileKey, FingerprintPattern, KeyRound } from 'lucide-preact'
import type { DoorView } from '#app/face.ts'
import { useModel } from './use-model.ts'
import './device-item.css'

const ICONS = { phrase: FileKey, device: AppWindow, passphrase: KeyRound, passkey: FingerprintPattern }

type Props = { readonly door: DoorView; readonly onRemove: (() => void) | undefined }

export function DoorItem({ door, onRemove }: Props) {
  const t = useModel().strings.value.doors
  const Icon = ICONS[door.kind]
  const name = door.name === '' ? t.kinds[door.kind] : door.name
  const hint =
    door.kind === 'phrase'
      ? t.phraseHint
      : door.kind === 'device'
        ? t.deviceHint
        : door.name === ''
          ? ''
          : t.kinds[door.kind]
  const isOwn = door.kind === 'passphrase' || door.kind === 'passkey'
  return (
    <div class="device" data-testid="door" data-door={door.kind}>
      <Icon size={20} />
      <div class="step-text">
        <span class="step-label">
          <bdi>{name}</bdi>
        </span>
        {hint !== '' && <span class="hint">{hint}</span>}
      </div>
      {isOwn && onRemove !== undefined && (
        <button type="button" class="text-button is-danger" aria-label={t.remove(name)} onClick={onRemove}>
          {t.removeAct}
        </button>
      )}
    </div>
  )
}
