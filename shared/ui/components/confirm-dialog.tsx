import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { ProblemLine } from './problem-line.tsx'
import { useAct } from './use-act.ts'
import { useModel } from './use-model.ts'

type Props = {
  readonly title: string
  readonly act: string // what the button says
  readonly doing?: string // while it is done
  readonly isDanger?: boolean // it takes something away
  readonly onAct: () => Promise<void> // closes by itself, or leaves the page
  readonly onClose: () => void
  readonly children: ComponentChildren // what it does and can't undo
}

/** An act that is said before it is done. What goes wrong is said in the dialog, which stays open. */
export function ConfirmDialog({ title, act, doing = act, isDanger = false, onAct, onClose, children }: Props) {
  const { strings } = useModel()
  const { isBusy, problem, run } = useAct()
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <ProblemLine problem={problem} />
      <div class="acts">
        <button
          type="button"
          class={isDanger ? 'button danger' : 'button'}
          aria-disabled={isBusy}
          onClick={() => run(onAct)}
        >
          {isBusy ? doing : act}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {strings.value.cancel}
        </button>
      </div>
    </Dialog>
  )
}
