import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import './dialog.css'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren }

/** A question before an act that can't be undone. The browser keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    heading.current?.focus() // never on the act itself, which Enter would set off
    return () => dialog?.close()
  }, [])
  return (
    <dialog class="dialog" ref={box} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
