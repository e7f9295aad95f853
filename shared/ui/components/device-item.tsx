import { AppWindow, Puzzle } from 'lucide-preact'
import type { DeviceView } from '#app/face.ts'
import { useModel } from './use-model.ts'
import './device-item.css'

type Props = { readonly device: DeviceView; readonly onRemove: (() => void) | undefined }

export function DeviceItem({ device, onRemove }: Props) {
  const { strings, times } = useModel()
  const t = strings.value.devices
  const Icon = device.kind === 'web' ? AppWindow : Puzzle
  const { revoking } = device
  const name = device.name === '' ? t.nameless : device.name
  const facts = [
    t.kinds[device.kind],
    ...(device.holdsRoot ? [t.root] : []),
    device.linkedBy === '' ? t.fromWords : t.linkedBy(device.linkedBy),
    ...(device.here || device.seenDay === 0 ? [] : [t.seen(times.value.date(device.seenDay))]),
  ]
  return (
    <div class="device" data-testid="device" data-device={device.id}>
      <Icon size={20} />
      <div class="step-text">
        <span class="step-label">
          <bdi>{name}</bdi>
          {device.here && <span class="device-here">{t.here}</span>}
        </span>
        <ul class="facts-line hint">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        <div role="status" class="is-warn">
          {revoking !== undefined && t.removing[revoking.step](times.value.count(revoking.left))}
        </div>
      </div>
      {onRemove !== undefined && revoking === undefined && (
        <button type="button" class="text-button is-danger" aria-label={t.removeLabel(name)} onClick={onRemove}>
          {t.remove}
        </button>
      )}
    </div>
  )
}
