import { loadGroup } from '#app/channel/loaded.ts'
import { toBase64url } from '#core/bytes/base64url.ts'
import { sha256 } from '#core/crypto/hash.ts'
import { openOuter } from '#core/message/outer.ts'
import type { Signer } from '#core/mls/index.ts'
import { unsafeReadSender } from '#core/mls/unsafe-read-sender.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

const nobody: Signer = { publicKey: new Uint8Array(32), sign: async () => new Uint8Array(64) }

/**
 * Watches every ciphertext that leaves a device, delivered or not, and looks into it with that device's own state: the
 * same (epoch, leaf, generation, ratchet) under two different ciphertexts is a reused key (I-04).
 */
export function watchNonces(world: World): { reused(): Promise<string[]> } {
  const looks: Promise<{ used: string; ciphertext: string } | undefined>[] = []
  world.onRequest((device, operation, args) => {
    for (const envelope of envelopesOf(operation, args)) {
      const { address } = args as ArgsOf<'channel.post'>
      looks.push(look(device, address, envelope))
    }
  })
  return {
    async reused() {
      const seen = new Map<string, string>()
      const reused: string[] = []
      for (const found of await Promise.all(looks)) {
        if (found === undefined) continue
        const before = seen.get(found.used)
        if (before !== undefined && before !== found.ciphertext) reused.push(found.used)
        seen.set(found.used, found.ciphertext)
      }
      if (seen.size === 0) throw new Error('the checker saw no ciphertext at all')
      return reused
    },
  }
}

function envelopesOf(operation: OperationName, args: unknown): readonly Uint8Array[] {
  if (operation === 'channel.post') return (args as ArgsOf<'channel.post'>).posts.map((post) => post.envelope)
  if (operation === 'channel.commit') return [(args as ArgsOf<'channel.commit'>).envelope]
  return []
}

async function look(device: SimDevice, address: ArgsOf<'channel.post'>['address'], envelope: Uint8Array) {
  const store = device.store()
  const row = (await store.list('syncs')).find(({ record }) => toBase64url(record.address) === toBase64url(address))
  if (row === undefined) return undefined
  const group = await loadGroup(store, String(row.key), nobody)
  if (group === undefined) return undefined
  for (const { key } of row.record.keys) {
    const message = await openOuter(key, address, envelope).catch(() => undefined)
    if (message === undefined) continue
    const sender = await unsafeReadSender(group, message)
    if (sender === undefined) continue
    // By the epoch's own key: where a relay kept two stories, two epochs have one number.
    const epoch = `${sender.epoch} (${toBase64url(sha256(key).subarray(0, 6))})`
    const used = `${toBase64url(address)} epoch ${epoch} leaf ${sender.leaf} generation ${sender.generation} ${sender.content}`
    return { used, ciphertext: toBase64url(sha256(message)) }
  }
  return undefined
}
