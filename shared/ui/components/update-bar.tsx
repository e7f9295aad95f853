import { useModel } from './use-model.ts'
import './update-bar.css'

/** A new version is offered, never forced (U-02). */
export function UpdateBar() {
  const { shell, strings } = useModel()
  const t = strings.value
  if (!shell.update?.available.value) return null
  return (
    <div class="update-bar" role="status">
      <span>{t.updateReady}</span>
      <button type="button" class="text-button" onClick={shell.update.apply}>
        {t.updateApply}
      </button>
    </div>
  )
}
