import { useEffect, useState } from 'preact/hooks'
import type { Change } from '#app/face.ts'
import { coalesce } from '../state/coalesce.ts'
import { useModel } from './use-model.ts'

/**
 * What one component alone shows: read when it comes, and again when something of that kind has changed.
 * @param of what it is about; read anew when that is another thing
 */
export function useRead<T>(what: Change['what'], read: () => Promise<T>, of: unknown = undefined): T | undefined {
  const { face } = useModel()
  const [found, setFound] = useState<{ readonly of: unknown; readonly value: T }>()
  useEffect(() => {
    let isGone = false
    const again = coalesce(async () => {
      const value = await read().catch(() => undefined) // locked meanwhile, or not there any more
      if (!isGone && value !== undefined) setFound({ of, value })
    })
    again()
    const stop = face.subscribe((change) => {
      if (change.what === what) again()
    })
    return () => {
      isGone = true
      stop()
    }
  }, [of])
  return found?.of === of ? found?.value : undefined
}
