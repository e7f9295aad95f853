import { useModel } from './use-model.ts'

/** Why this device can't link or remove others, and where it can be done (K-06). */
export function NoRoot() {
  const { devices, strings } = useModel()
  const t = strings.value.devices
  const others = (devices.value ?? []).filter((device) => device.holdsRoot && !device.here).map(({ name }) => name)
  return (
    <p class="hint">
      {t.noRoot} {others.length === 0 ? t.noRootNone : t.noRootDo(others.join(', '))}
    </p>
  )
}
