import { useEffect, useRef } from 'preact/hooks'

type Had = { readonly element: HTMLElement; readonly row: number; readonly pane: Element | null }

/**
 * Where what had the focus goes with its row, the focus stays near: in the row that took its place, else at the pane's title. Browsers
 * drop it to the page, from where a keyboard begins anew (WCAG 2.4.3).
 */
export function useNearFocus<List extends HTMLElement = HTMLElement>() {
  const list = useRef<List>(null)
  const had = useRef<Had | undefined>(undefined)
  useEffect(() => {
    const last = had.current
    if (last === undefined || last.element.isConnected) return
    had.current = undefined
    if (document.activeElement !== document.body) return // the person has gone elsewhere
    const rows = [...(list.current?.children ?? [])]
    const row = rows[Math.min(last.row, rows.length - 1)]
    const near = row?.querySelector<HTMLElement>('a, button') ?? last.pane?.querySelector<HTMLElement>('h1')
    near?.focus()
  })
  return {
    ref: list,
    onFocusIn: ({ target }: FocusEvent) => {
      const element = target as HTMLElement
      const row = [...(list.current?.children ?? [])].findIndex((one) => one.contains(element))
      had.current = { element, row: Math.max(row, 0), pane: element.closest('section') }
    },
  }
}
