import { toHex } from '#core/bytes/hex.ts'
import type { KemPrivateKey } from '#core/crypto/kem.ts'
import { xWing } from '#core/crypto/x-wing.ts'
import { SUITE_CLASSICAL, SUITE_XWING } from '#core/mls/index.ts'
import { Life } from './life.ts'
import { seededDice } from './support.ts'

/** What another engine gave: a key's seed, an encapsulation to it, and the secret that must come out. */
export type Peer = { readonly seed: string; readonly enc: string; readonly shared: string; readonly publicKey: string }
export type Report = {
  readonly opened: boolean
  readonly enc: string
  readonly shared: string
  readonly handles: readonly { readonly name: string; readonly extractable: boolean }[]
  readonly byHandle: boolean
  readonly lives: number
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Runs wherever the bundle is loaded: Node, a page, a service worker, workerd. */
export async function checkEngine(peer: Peer): Promise<Report> {
  const own: KemPrivateKey = { bytes: fromHex(peer.seed) }
  const opened = toHex(await xWing.decap(own, fromHex(peer.enc))) === peer.shared
  const { enc, shared } = await xWing.encap({ bytes: fromHex(peer.publicKey) }, seededDice('engine check'))

  const keys = new Map<string, CryptoKey>()
  const ring = {
    load: async (name: string) => keys.get(name),
    save: async (name: string, key: CryptoKey) => void keys.set(name, key),
    remove: async (name: string) => void keys.delete(name),
  }
  const pair = await xWing.generate(seededDice('handle'), ring)
  const sent = await xWing.encap(pair.publicKey, seededDice('to the handle'))
  const byHandle = toHex(await xWing.decap(pair.privateKey, sent.enc, ring)) === toHex(sent.shared)
  const handles = [...keys].map(([name, { extractable }]) => ({ name: name.split('/').at(-1) ?? '', extractable }))

  let lives = 0
  for (const suite of [SUITE_CLASSICAL, SUITE_XWING] as const) {
    const life = await Life.begin({ seed: 77, suite, steps: 4, atMost: 5 })
    for (let step = 0; step < 4; step++) await life.step()
    await life.end()
    lives++
  }
  return { opened, enc: toHex(enc), shared: toHex(shared), handles, byHandle, lives }
}
