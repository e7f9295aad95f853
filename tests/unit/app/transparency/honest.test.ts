import { describe, expect, it } from 'vitest'
import { claimOf, compareManifest } from '#app/transparency/compare-manifest.ts'
import { findLeaf } from '#app/transparency/find-leaf.ts'
import { followHead, isPartOf } from '#app/transparency/follow-head.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import type { ClaimedManifest, LogHead } from '#core/message/body.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { OperationName } from '#core/wire/operations.ts'
import { Seeded } from '../../../support/seeded.ts'
import { ManifestLog } from '../../../support/sim/manifest-log.ts'

const CHANGES = 10_000
const PEOPLE = 12

const LIST_SEED = new Uint8Array(32).fill(9)
let list: Promise<SigningKey> | undefined
async function listKey(): Promise<Uint8Array> {
  list ??= signingKeyFromSeed(LIST_SEED)
  return (await list).publicKey
}

type Manifest = { readonly account: AccountId; readonly sequence: number; readonly manifest: Uint8Array }
type Mail = { readonly by: number; readonly to: number; readonly view?: LogHead; readonly own: ClaimedManifest }
/** Each with two devices: what the one has changed, the other hears of at its next connection. */
type Person = { head: LogHead | undefined; readonly devices: Manifest[]; readonly knows: Map<number, Manifest> }

const manifestOf = (n: number, sequence: number): Manifest => ({
  account: new Uint8Array(32).fill(n + 1) as AccountId,
  sequence,
  manifest: Uint8Array.of(n, sequence >> 8, sequence & 255),
})

/** A directory that takes a change at once and has it in its log a while later; people who follow it at their own pace. */
class Village {
  readonly random = new Seeded(13)
  readonly log = new ManifestLog(LIST_SEED)
  readonly relay = {
    call: async (operation: OperationName, args: unknown) => this.log.answer(operation, args),
  } as never
  readonly directory = Array.from({ length: PEOPLE }, (_, n) => manifestOf(n, 1))
  readonly people: Person[] = this.directory.map((first) => ({
    head: undefined,
    devices: [first, first],
    knows: new Map(this.directory.map((one, n) => [n, one])),
  }))
  readonly taken: Manifest[] = [...this.directory] // not in the log yet
  readonly mail: Mail[] = []
  readonly alarms: string[] = []
  told = 0

  person(n: number): Person {
    const person = this.people[n]
    if (person === undefined) throw new Error('nobody')
    return person
  }

  change(): void {
    const n = this.random.below(PEOPLE)
    const next = manifestOf(n, (this.directory[n]?.sequence ?? 0) + 1)
    this.directory[n] = next
    this.taken.push(next)
    this.person(n).devices[this.random.below(2)] = next
  }

  logOne(): void {
    const next = this.taken.shift()
    if (next !== undefined) this.log.append(next.account, next.sequence, next.manifest)
  }

  /** A connection: the log, and one's own manifest. */
  async connect(n: number): Promise<void> {
    const person = this.person(n)
    const followed = await followHead({ relay: this.relay }, person.head, await listKey())
    if ('head' in followed) person.head = followed.head
    else this.alarms.push(followed.wrong.kind)
    const now = this.directory[n]
    if (now !== undefined && this.random.chance(0.7)) person.devices[this.random.below(2)] = now
  }

  say(): void {
    const [by, to] = [this.random.below(PEOPLE), this.random.below(PEOPLE)]
    const { head, devices } = this.person(by)
    const view = head === undefined ? {} : { view: head }
    this.mail.push({ by, to, ...view, own: claimOf(this.random.pick(devices)) })
  }

  async hear(): Promise<void> {
    const [mail] = this.mail.splice(this.random.below(Math.min(20, this.mail.length)), 1)
    if (mail === undefined) return
    this.told++
    await this.connect(mail.to)
    const person = this.person(mail.to)
    const { head } = person
    if (head !== undefined && mail.view !== undefined && !(await isPartOf({ relay: this.relay }, mail.view, head)))
      this.alarms.push('split-view')
    const known = person.knows.get(mail.by)
    const now = this.directory[mail.by]
    if (known === undefined || now === undefined) return
    const compared = compareManifest(claimOf(known), mail.own)
    if (compared === 'ahead') {
      person.knows.set(mail.by, now)
      if (['ahead', 'other'].includes(compareManifest(claimOf(now), mail.own))) this.alarms.push('withheld')
    }
    if (compared === 'other') this.alarms.push('key-swap')
    if (head === undefined) return
    if ((await findLeaf({ relay: this.relay }, head, known)) === 'false') this.alarms.push('unlogged')
  }
}

describe('an honest directory', () => {
  it('[K-13] changes ten thousand manifests under the eyes of people who talk, and nobody is alarmed', async () => {
    const village = new Village()
    for (let change = 0; change < CHANGES; change++) {
      village.change()
      if (village.random.chance(0.9)) village.logOne()
      if (village.random.chance(0.1)) for (let i = 0; i < 3; i++) village.logOne()
      if (village.random.chance(0.3)) await village.connect(village.random.below(PEOPLE))
      if (village.random.chance(0.5)) village.say()
      if (village.random.chance(0.6)) await village.hear()
    }
    expect(village.alarms).toEqual([])
    expect(village.told).toBeGreaterThan(4_000)
    expect(village.log.leaves.length).toBeGreaterThan(CHANGES * 0.9)
  }, 240_000)

  it('[K-13] and one that changes a single leaf of its past is found out by the next who looks', async () => {
    const village = new Village()
    for (let n = 0; n < 40; n++) {
      village.change()
      village.logOne()
    }
    await village.connect(0)
    const other = new ManifestLog(LIST_SEED)
    for (const [i, leaf] of village.log.leaves.entries()) {
      other.append(leaf.account, leaf.sequence, Uint8Array.of(9, i === 7 ? 1 : 0, i))
    }
    const relay = { call: async (operation: OperationName, args: unknown) => other.answer(operation, args) } as never
    other.append(manifestOf(1, 99).account, 99, Uint8Array.of(1))
    expect(await followHead({ relay }, village.person(0).head, await listKey())).toMatchObject({
      wrong: { kind: 'split-view' },
    })
  })
})
