import { Check, CheckCheck, CircleAlert, Clock } from 'lucide-preact'
import type { ChannelView, LineState } from '#app/face.ts'
import { useModel } from './use-model.ts'
import './tick.css'

const ICONS = { waiting: Clock, sent: Check, delivered: CheckCheck, failed: CircleAlert }

/** A note reaches nobody but one's own devices: it waits, or it is kept (L-02). */
export function tickOf(state: LineState, kind: ChannelView['kind']): LineState {
  return kind === 'notes' && state === 'delivered' ? 'sent' : state
}

/** How far a message of one's own has come (M-10), for the eye and for a screen reader. */
export function Tick({ state }: { readonly state: LineState }) {
  const { strings } = useModel()
  const Icon = ICONS[state]
  return (
    <span class="tick" role="img" aria-label={strings.value.message[state]} data-state={state}>
      <Icon size={14} strokeWidth={2.25} />
    </span>
  )
}
