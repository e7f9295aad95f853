import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'

import { effect } from '@preact/signals'
import { render } from 'preact'
import type { Face } from '#app/face.ts'
import { App } from './components/app.tsx'
import { ModelContext } from './components/use-model.ts'
import { applyLook, recallLook, rememberLook } from './state/look.ts'
import { createModel } from './state/model.ts'
import type { Shell } from './state/shell.ts'
import { pickLanguage } from './strings/language.ts'

const SIGNS_OF_USE = ['keydown', 'pointerdown', 'wheel'] as const

/** Before the store was opened: the page already has its colours and its language. */
export function prepareFace(): void {
  const look = recallLook()
  if (look !== undefined) applyLook(document.documentElement, look, pickLanguage(look.language, navigator.languages))
}

/** Shows a face in `root`. Returns the way to take it down. */
export function mountFace(root: HTMLElement, face: Face, shell: Shell): () => void {
  const model = createModel(face, shell, navigator.languages, Date.now, recallLook())
  document.documentElement.dataset.shell = shell.kind
  const stopLook = effect(() => {
    if (!model.isReady.value) return
    applyLook(document.documentElement, model.settings.value, model.language.value)
    rememberLook(model.settings.value)
  })
  const stopTitle = effect(() => {
    document.title = model.unread.value > 0 ? `(${model.unread.value}) Stave` : 'Stave'
  })
  const used = () => model.used()
  for (const sign of SIGNS_OF_USE) addEventListener(sign, used, { capture: true, passive: true })
  const stop = model.start()
  render(
    <ModelContext.Provider value={model}>
      <App />
    </ModelContext.Provider>,
    root,
  )
  return () => {
    stop()
    for (const sign of SIGNS_OF_USE) removeEventListener(sign, used, { capture: true })
    stopLook()
    stopTitle()
    render(null, root)
  }
}
