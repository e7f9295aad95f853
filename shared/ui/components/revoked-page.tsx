import { Mark } from './mark.tsx'
import { useModel } from './use-model.ts'

/** Another device of the account has removed this one (K-07). */
export function RevokedPage() {
  const { startsAnew, strings } = useModel()
  const t = strings.value.revoked
  return (
    <main class="page revoked">
      <Mark size={40} />
      <h1>{t.title}</h1>
      <p>{t.what}</p>
      <p>{t.safe}</p>
      <p>{t.advice}</p>
      <button
        type="button"
        class="button"
        onClick={() => {
          startsAnew.value = true
        }}
      >
        {t.again}
      </button>
    </main>
  )
}
