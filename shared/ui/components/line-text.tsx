import { useMemo, useState } from 'preact/hooks'
import { findLinks } from '../state/links.ts'
import { shorten } from '../state/shorten.ts'
import { useModel } from './use-model.ts'

/** What was written: every line in its own direction, links to the web made live, a long text begun only. */
export function LineText({ text }: { readonly text: string }) {
  const { strings } = useModel()
  const [isWhole, setWhole] = useState(false)
  const short = useMemo(() => shorten(text), [text])
  const shown = isWhole || short === undefined ? text : short
  const pieces = useMemo(() => findLinks(shown), [shown])
  return (
    <>
      <div class="line-text" dir="auto">
        {pieces.map((piece, index) =>
          piece.href === undefined ? (
            piece.text
          ) : (
            <a key={index} href={piece.href} target="_blank" rel="noopener noreferrer" dir="ltr">
              {piece.text}
            </a>
          ),
        )}
        {shown !== text && '…'}
      </div>
      {shown !== text && (
        <button type="button" class="text-button" aria-expanded="false" onClick={() => setWhole(true)}>
          {strings.value.conversation.showAll}
        </button>
      )}
    </>
  )
}
