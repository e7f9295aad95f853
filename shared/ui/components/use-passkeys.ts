import { useEffect, useState } from 'preact/hooks'
import { useModel } from './use-model.ts'

/** Can a passkey open something here? No, until the browser has said so. */
export function usePasskeys(): boolean {
  const { shell } = useModel()
  const [has, setHas] = useState(false)
  useEffect(() => {
    shell.passkeys?.().then(setHas, () => undefined)
  }, [])
  return has
}
