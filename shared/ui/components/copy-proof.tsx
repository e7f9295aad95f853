import { Copy } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'

/** What shows to anybody else that the relay keeps two logs (TRC12): to hand on as text. */
export function CopyProof({ proof }: { readonly proof: string }) {
  const model = useModel()
  const t = model.strings.value
  const [isCopied, setCopied] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(proof)
      setCopied(true)
      model.announce(t.copied)
    } catch {
      setProblem({ code: 'clipboard' })
    }
  }
  return (
    <>
      <p class="hint">{t.health.proofHint}</p>
      <button type="button" class="text-button" onClick={copy}>
        <Copy size={16} />
        {isCopied ? t.copied : t.health.copyProof}
      </button>
      <ProblemLine problem={problem} />
    </>
  )
}
