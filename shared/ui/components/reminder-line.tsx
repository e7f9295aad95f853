import { useModel } from './use-model.ts'

/** The words are on no paper yet: said once, with one act, and put away for a week (K-02, U-07). Or this device is not linked yet (K-09). */
export function ReminderLine() {
  const { account, reminding, putReminderAway, shell, strings } = useModel()
  const t = strings.value.backup
  const { linking } = strings.value
  const what = reminding.value
  if (account.value?.state === 'ready' && account.value.unlisted) {
    return (
      <div class="backup-reminder" data-reminder="unlisted">
        <p>{linking.unlisted}</p>
        <button type="button" class="text-button" onClick={() => shell.router.go({ at: 'link' })}>
          {linking.showTitle}
        </button>
      </div>
    )
  }
  if (what === undefined) return null
  return (
    <div class="backup-reminder" data-reminder={what}>
      <p>{what === 'erasure' ? t.erasure : t.reminder}</p>
      <button type="button" class="text-button" onClick={() => shell.router.go({ at: 'backup' })}>
        {t.start}
      </button>
      <button type="button" class="text-button" onClick={() => putReminderAway()}>
        {t.putAway}
      </button>
    </div>
  )
}
