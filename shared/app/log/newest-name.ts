import { type KeyRing, newest } from '#core/keys/key-ring.ts'
import type { Address } from '#core/wire/ids.ts'
import type { Deps } from '../deps.ts'
import { openRow } from './open-row.ts'

const MAX_STEPS = 4

/** What the account calls itself, by the newest entry of its log that says so; '' when none of the last ones does. */
export async function newestName({ relay }: Pick<Deps, 'relay'>, ring: KeyRing, address: Address): Promise<string> {
  const token = newest(ring).logToken
  let before = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    const { entries, more } = await relay.call('log.back', { address, token, before })
    for (const row of entries) {
      const told = (await openRow({ ring, address }, row))?.told ?? []
      const named = told.findLast(({ delta }) => delta.kind === 'profile')?.delta
      if (named?.kind === 'profile') return named.name
    }
    before = entries.at(-1)?.position ?? 0
    if (!more || before === 0) break
  }
  return ''
}
