import { ArrowLeft } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useModel } from './use-model.ts'
import './pane-head.css'

type Props = {
  readonly title: string
  readonly children?: ComponentChildren
  readonly picture?: ComponentChildren
  /** Changes when another thing is shown in the same pane. */
  readonly of?: string
  readonly noBack?: boolean
  readonly onBack?: () => void
}

/** The head of a pane: a step back, its title, its acts. Focus comes to the title after a move. */
export function PaneHead({ title, children, picture, of, noBack = false, onBack }: Props) {
  const model = useModel()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (model.hasMoved.peek()) heading.current?.focus({ preventScroll: true })
  }, [of])
  return (
    <header class="pane-head">
      {!noBack && (
        <button
          type="button"
          class="icon-button pane-back"
          aria-label={model.strings.value.back}
          onClick={onBack ?? (() => model.shell.router.back())}
        >
          <ArrowLeft size={20} class="turns" />
        </button>
      )}
      {picture}
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h1>
      <span class="pane-space" />
      {children}
    </header>
  )
}
