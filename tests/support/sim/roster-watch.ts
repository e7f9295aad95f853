import type { SyncRecord } from '#app/ports/records.ts'
import { toHex } from '#core/bytes/hex.ts'
import { decodeCbor } from '#core/wire/cbor.ts'
import type { SimDevice } from './sim-device.ts'

const MAX_BYTES = 64 * 1024 * 1024

type Roster = Pick<SyncRecord, 'seats' | 'accounts'>
/** Who was in after a commit, as some device had it. */
export type Stand = { readonly lastCommit: number; readonly accounts: readonly string[] }

/**
 * Whatever a device writes of its place in a channel: two that stand at the same head of the chain have judged the same envelopes,
 * so they agree on who is in and on how many commits there were (MLS5), at every step and not only at the end.
 */
export class RosterWatch {
  readonly #witness: string
  readonly #byHead = new Map<string, { readonly of: string; readonly by: string; readonly stand: Stand }>()
  readonly #chain = new Map<number, string>() // as the witness had it
  readonly faults: string[] = []

  /** `witness` is a device that is on no other side than the story that is shown in the end. */
  constructor(witness: string) {
    this.#witness = witness
  }

  follow(device: SimDevice): void {
    const rosters = new Map<string, Roster>() // kept beside the rest, and written when it changes
    device.disk.onWrite = (changes) => {
      for (const change of changes) {
        if (!('put' in change)) continue
        if (change.put === 'rosters') rosters.set(String(change.key), read<Roster>(change.value))
        if (change.put === 'heads' && device.name === this.#witness && typeof change.key === 'object')
          this.#chain.set(Number(change.key[1]), toHex(read<{ head: Uint8Array }>(change.value).head))
      }
      for (const change of changes) {
        if (!('put' in change) || change.put !== 'syncs') continue
        const roster = rosters.get(String(change.key))
        if (roster !== undefined) this.#note(device.name, { ...read<SyncRecord>(change.value), ...roster })
      }
    }
  }

  /** After each commit of the witness's story, as far as some device was seen to stand there. */
  stands(): Stand[] {
    const byCommit = new Map<number, Stand>()
    for (const [position, head] of this.#chain) {
      const known = this.#byHead.get(`${position} ${head}`)
      if (known !== undefined) byCommit.set(known.stand.lastCommit, known.stand)
    }
    return [...byCommit.values()].sort((a, b) => a.lastCommit - b.lastCommit)
  }

  #note(by: string, { joinedAt, cursor, head, commits, lastCommit, accounts, seats }: SyncRecord): void {
    if (joinedAt === undefined && cursor === 0) return
    const people = accounts.map(({ account }) => toHex(account)).sort()
    const places = seats.map(({ leaf, seat, moderator }) => `${leaf} ${toHex(seat)} ${moderator}`).sort()
    const of = JSON.stringify({ commits, lastCommit, people, places })
    const at = `${cursor} ${toHex(head)}`
    const known = this.#byHead.get(at)
    if (known === undefined) this.#byHead.set(at, { of, by, stand: { lastCommit, accounts: people } })
    else if (known.of !== of && this.faults.length < 5) {
      this.faults.push(`at ${cursor} ${by} has ${of}, ${known.by} ${known.of}`)
    }
  }
}

function read<T>(value: Uint8Array): T {
  return decodeCbor(value, MAX_BYTES) as T
}
