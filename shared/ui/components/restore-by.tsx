import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { FoundAccount, RestoreKey } from '#app/face.ts'
import { PaneHead } from './pane-head.tsx'
import { RestoreFound } from './restore-found.tsx'
import { useModel } from './use-model.ts'

export type RestoreForm = ComponentType<{ readonly lookUp: (key: RestoreKey) => Promise<void> }>
type Props = { readonly title: string; readonly Form: RestoreForm }

/** First whose it is, then whether to: nothing is made before somebody has seen the name. */
export function RestoreBy({ title, Form }: Props) {
  const { face, strings } = useModel()
  const [found, setFound] = useState<{ readonly opener: RestoreKey; readonly account: FoundAccount }>()
  if (found !== undefined) return <RestoreFound {...found} onOther={() => setFound(undefined)} />
  const lookUp = async (key: RestoreKey) => setFound({ opener: key, account: await face.lookUp(key) })
  return (
    <section class="pane" aria-label={strings.value.restore.title}>
      <PaneHead title={title} of="key" />
      <Form lookUp={lookUp} />
    </section>
  )
}
