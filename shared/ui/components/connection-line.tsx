import { useModel } from './use-model.ts'
import './connection-line.css'

/** Said only when something is not as usual. */
export function ConnectionLine() {
  const { connection, strings } = useModel()
  const now = connection.value
  const t = strings.value.connection
  const isUsual = now.state === 'online' || now.state === 'idle'
  const text = isUsual ? '' : now.state === 'refused' ? t.refused[now.why] : t[now.state]
  return (
    <p class="connection" role="status" data-connection={now.state}>
      {text !== '' && <span>{text}</span>}
    </p>
  )
}
