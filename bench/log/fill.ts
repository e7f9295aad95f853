import { wordlist } from '@scure/bip39/wordlists/english.js'
import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import { systemDice } from '#core/crypto/random.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { RelayError } from '#core/errors.ts'
import { signManifest } from '#core/identity/manifest.ts'
import { signVaultRecord } from '#core/identity/vault-record.ts'
import { phraseDoor } from '#core/keys/door.ts'
import { accountHpkePair, hashKeyRing, type KeyRing, logAddressOf, makeKeyRing, newest } from '#core/keys/key-ring.ts'
import { newPhrase, phraseToSeed } from '#core/keys/phrase.ts'
import { accountKeys, logOwner } from '#core/keys/tree.ts'
import { sealVault } from '#core/keys/vault.ts'
import type { Dated, Delta } from '#core/log/delta.ts'
import { ENTRY_VERSION, type Entry } from '#core/log/entry.ts'
import { makePage } from '#core/log/page.ts'
import { sealEntry } from '#core/log/seal.ts'
import { stampAt } from '#core/log/stamp.ts'
import type { AccountId, Address, DeviceId, Head, MessageId, PostId } from '#core/wire/ids.ts'
import { connectNodeRelay } from '../../tests/support/node-relay-client.ts'

const CHANNELS = 20
const LINES_IN_A_PAGE = 960
const MINUTE_MS = 60_000
const WORDS = 12

export type Filled = { readonly words: string; readonly bytes: number; readonly entries: number }
type Client = Awaited<ReturnType<typeof connectNodeRelay>>
type Friend = { readonly account: AccountId; readonly address: Address; readonly manifest: Uint8Array }

/**
 * An account whose log holds so many messages of twenty conversations, in the pages that compaction leaves, and whose devices
 * are all gone. @returns the words that bring it back, and what lies at the realm
 */
export async function fill(url: string, messages: number): Promise<Filled> {
  const client = await connectNodeRelay(url)
  const words = newPhrase(systemDice)
  const keys = await accountKeys(await phraseToSeed(words))
  const owner = await logOwner(keys.rootSeed)
  const { account, logAddressSecret } = keys
  const ring = makeKeyRing({ account, logAddressSecret, ownerKey: owner.publicKey }, systemDice)
  const door = await phraseDoor(keys.phraseDoorSeed)
  const { publicKey: hpkeKey } = await accountHpkePair(newest(ring))
  const named = { phraseDoor: door.publicKey, generation: 1, keyRingHash: hashKeyRing(ring), hpkeKey }
  const manifest = await signManifest({ account, sequence: 1, devices: [], vault: named }, keys.root)
  await client.call('account.put', { manifest })
  const address = logAddressOf(logAddressSecret, await client.askRealmKey(url))
  const vault = await sealVault(ring, 1, [door], systemDice)
  const signature = await signVaultRecord(vault, owner)
  await client.call('log.open', { address, owner: owner.publicKey, vault, signature })

  const friends = await Promise.all(Array.from({ length: CHANNELS }, makeFriend))
  const log = new Appender(client, ring, address)
  const startMs = Date.now() - messages * MINUTE_MS
  for (let first = 0; first < messages; first += LINES_IN_A_PAGE) {
    const count = Math.min(LINES_IN_A_PAGE, messages - first)
    const lines = Array.from({ length: count }, (_, i) => lineOf(account, friends, startMs, first + i))
    await log.page(first === 0 ? [...contactsOf(friends), ...books(friends), ...lines] : [...books(friends), ...lines])
  }
  client.stop()
  return { words: words.join(' '), bytes: log.bytes, entries: log.entries }
}

class Appender {
  readonly #client: Client
  readonly #ring: KeyRing
  readonly #address: Address
  readonly #by = systemDice(16) as DeviceId
  #position = 0
  #head: Head
  bytes = 0
  entries = 0

  constructor(client: Client, ring: KeyRing, address: Address) {
    this.#client = client
    this.#ring = ring
    this.#address = address
    this.#head = firstLogHead(address)
  }

  /** As compaction does: something is appended, and a page takes its place. */
  async page(deltas: readonly Delta[]): Promise<void> {
    const before = this.#head
    await this.#append({ v: ENTRY_VERSION, by: this.#by, deltas: [] })
    const { page, taken } = await makePage([deltas.map((delta): Dated => ({ by: this.#by, delta }))])
    if (taken !== 1) throw new Error('too much for a page')
    const at = this.#position
    const covers = { from: at, to: at, before, after: this.#head }
    const size = await this.#append({ v: ENTRY_VERSION, by: this.#by, page, covers }, at)
    this.bytes += size
    this.entries += 1
  }

  async #append(entry: Entry, replaces?: number): Promise<number> {
    const position = this.#position + 1
    const generation = newest(this.#ring)
    const bytes = await sealEntry(generation, { address: this.#address, position }, entry, systemDice)
    const made = { id: systemDice(16) as PostId, bytes }
    const common = {
      address: this.#address,
      token: generation.logToken,
      after: { position: this.#position, head: this.#head },
    }
    await patiently(() =>
      replaces === undefined
        ? this.#client.call('log.append', { ...common, entries: [made] })
        : this.#client.call('log.compact', { ...common, entry: made, from: replaces, to: replaces }),
    )
    this.#head = nextLogHead(this.#head, position, bytes)
    this.#position = position
    return bytes.length
  }
}

/** The realm's rate is for people, not for this. */
async function patiently(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!(error instanceof RelayError && error.code === 'quota/rate')) throw error
      await new Promise((done) => setTimeout(done, Number(error.detail.waitMs ?? 100)))
    }
  }
}

async function makeFriend(): Promise<Friend> {
  const root = await signingKeyFromSeed(systemDice(32))
  const account = root.publicKey as AccountId
  const manifest = await signManifest({ account, sequence: 1, devices: [] }, root)
  return { account, address: systemDice(32) as Address, manifest }
}

function contactsOf(friends: readonly Friend[]): Delta[] {
  return friends.map(({ account, manifest }, i) => {
    return { kind: 'contact', at: i + 1, account, name: `Friend ${i}`, manifest, sequence: 1 }
  })
}

function books(friends: readonly Friend[]): Delta[] {
  const channels = friends.map(({ address }, i): Delta => {
    return { kind: 'channel', at: i + 1, address, channel: 'direct', title: `Friend ${i}`, upTo: 0 }
  })
  return [{ kind: 'profile', at: 1, name: 'Bench' }, ...channels]
}

function lineOf(own: AccountId, friends: readonly Friend[], startMs: number, n: number): Delta {
  const friend = friends[n % friends.length] ?? friends[0]
  if (friend === undefined) throw new Error('nobody')
  const atMs = startMs + n * MINUTE_MS
  const mine = n % 2 === 0
  return {
    kind: 'line',
    at: stampAt(atMs),
    channel: friend.address,
    order: Math.floor(n / friends.length) + 1,
    messageId: systemDice(16) as MessageId,
    author: mine ? own : friend.account,
    atMs,
    text: sentence(),
    ...(mine ? { state: 'delivered' as const } : {}),
  }
}

/** As long as what people write, and as hard to compress as words are. */
function sentence(): string {
  const drawn = systemDice(WORDS * 2)
  return Array.from({ length: WORDS }, (_, i) => {
    const at = ((drawn[i * 2] ?? 0) << 8) | (drawn[i * 2 + 1] ?? 0)
    return wordlist[at % wordlist.length] ?? ''
  }).join(' ')
}
