import type { ComponentChildren } from 'preact'
import { type Route, routePath } from '../state/router.ts'
import { useModel } from './use-model.ts'

type Props = {
  readonly to: Route
  readonly class?: string
  readonly label?: string | undefined
  readonly children: ComponentChildren
}

/** A link to another place in Stave; a key held while clicking asks the browser for a new tab. */
export function RouteLink({ to, class: className, label, children }: Props) {
  const { shell } = useModel()
  const path = routePath(to)
  return (
    <a
      class={className}
      href={shell.kind === 'web' ? path : `#${path}`}
      aria-label={label}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        shell.router.go(to)
      }}
    >
      {children}
    </a>
  )
}
