import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** One tab stop for a list, arrow keys within it. Items carry `data-rove` with their key. */
export function useRove(list: RefObject<HTMLElement | null>, keys: readonly string[], fallback: string | undefined) {
  const [chosen, setChosen] = useState<string>()
  const stop = chosen !== undefined && keys.includes(chosen) ? chosen : fallback
  const items = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-rove]') ?? [])]
  return {
    tabIndex: (key: string) => (key === stop ? 0 : -1),
    onKeyDown(event: KeyboardEvent) {
      const step = STEPS[event.key]
      if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
      const all = items()
      const at = all.indexOf(event.target as HTMLElement)
      if (at === -1) return
      event.preventDefault()
      all[step(at, all.length - 1)]?.focus()
    },
    onFocusIn(event: FocusEvent) {
      const key = (event.target as HTMLElement).closest<HTMLElement>('[data-rove]')?.dataset.rove
      if (key !== undefined) setChosen(key)
    },
  }
}
