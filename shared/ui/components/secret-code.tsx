import { Copy } from 'lucide-preact'
import { useId, useState } from 'preact/hooks'
import { ProblemLine } from './problem-line.tsx'
import { Qr } from './qr.tsx'
import { useModel } from './use-model.ts'
import './invite-pane.css'

type Props = { readonly text: string; readonly label: string; readonly qrLabel: string; readonly copyLabel: string }

/** A text that goes to another device: to scan, to select, to copy. */
export function SecretCode({ text, label, qrLabel, copyLabel }: Props) {
  const model = useModel()
  const t = model.strings.value
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      model.announce(t.copied)
    } catch {
      setProblem({ code: 'clipboard' })
    }
  }
  return (
    <div class="invitation">
      <Qr text={text} label={qrLabel} />
      <label class="sr-only" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        class="link exact"
        type="text"
        readOnly
        dir="ltr"
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div class="acts">
        <button type="button" class="button" onClick={copy}>
          <Copy size={16} />
          {isCopied ? t.copied : copyLabel}
        </button>
      </div>
      <ProblemLine problem={problem} />
    </div>
  )
}
