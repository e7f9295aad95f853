import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'
import { usePasskeys } from './use-passkeys.ts'

export function DoorPasskey() {
  const { face, read, strings } = useModel()
  const t = strings.value.doors
  const hasPasskeys = usePasskeys()
  const { isBusy, problem, run } = useAct()
  const add = () =>
    run(async () => {
      await face.addPasskeyDoor()
      await read.doors()
    })
  return (
    <>
      <h2>{t.passkeyTitle}</h2>
      <p>{hasPasskeys ? t.passkeyLead : t.passkeyNone}</p>
      <ProblemLine problem={problem} />
      {hasPasskeys && (
        <button type="button" class="button" aria-disabled={isBusy} onClick={add}>
          {isBusy ? t.adding : t.passkeyAdd}
        </button>
      )}
    </>
  )
}
