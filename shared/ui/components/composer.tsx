import { ArrowUp } from 'lucide-preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChannelView } from '#app/face.ts'
import { composerKey, measure } from '../state/composer.ts'
import type { Conversation } from '../state/conversation.ts'
import { ProblemLine } from './problem-line.tsx'
import { useModel } from './use-model.ts'
import './composer.css'

const SIZES_ITSELF = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')

type Props = { readonly conversation: Conversation; readonly kind: ChannelView['kind'] }

export function Composer({ conversation, kind }: Props) {
  const { strings, settings, nowMs } = useModel()
  const field = useRef<HTMLTextAreaElement>(null)
  const t = strings.value
  const text = conversation.draft.value
  const size = measure(text)
  const isBlank = text.trim() === ''
  const { enterSends } = settings.value

  useLayoutEffect(() => {
    const box = field.current
    if (box === null || SIZES_ITSELF) return
    box.style.blockSize = 'auto'
    box.style.blockSize = `${box.scrollHeight}px`
  }, [text])

  const send = () => {
    if (isBlank || size.over) return
    conversation.send(text, nowMs())
    field.current?.focus()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <ProblemLine problem={size.over ? { code: 'text/too-long' } : conversation.problem.value} />
      <div class="composer-row">
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={t.composer.label}
          aria-invalid={size.over || undefined}
          placeholder={kind === 'notes' ? t.notes.placeholder : t.composer.placeholder}
          enterkeyhint={enterSends ? 'send' : 'enter'}
          value={text}
          onInput={(event) => conversation.setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composerKey(event, enterSends) !== 'send') return
            event.preventDefault()
            send()
          }}
        />
        <button type="submit" class="composer-send" aria-label={t.composer.send} disabled={isBlank || size.over}>
          <ArrowUp size={20} strokeWidth={2.25} />
        </button>
      </div>
      {size.near && (
        <p class="composer-count" data-over={size.over || undefined}>
          {size.over ? t.composer.over(-size.left) : t.composer.left(size.left)}
        </p>
      )}
    </form>
  )
}
