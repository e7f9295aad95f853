import { DurableObject } from 'cloudflare:workers'
import { sha256 } from '#core/crypto/hash.ts'
import type { PublishedPackages } from '#core/identity/published-packages.ts'
import type { AccountId, DeviceId } from '#core/wire/ids.ts'
import type { PackageSuite, ReplyOf } from '#core/wire/operations.ts'
import { Packages } from '../account/packages.ts'
import { Unlogged } from '../account/unlogged.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { dayOf, nowMs } from '../clock.ts'
import { resealDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { judgeManifest } from '../rules/manifest.ts'
import { givenDeadline } from '../rules/packages.ts'
import { dropKey } from '../secrets.ts'
import { Alarm } from '../storage/alarm.ts'
import { blob, hasTables, int } from '../storage/values.ts'
import { theTransparency } from '../transparency/place.ts'

type Said = { readonly account: AccountId; readonly sequence: number; readonly devices: readonly DeviceId[] }
type Newest = { readonly sequence: number; readonly manifest: Uint8Array }

/** The first retry is for an object that died before it delivered, later ones for a log that can't be reached. */
const LOG_RETRY_MS = 2_000
const LOG_PATIENCE_MS = 60_000

/** An account's newest manifest (K-05) and its devices' key packages (C-02), at the address of the account's public id. */
export class Account extends DurableObject<Env> {
  readonly #alarm = new Alarm(this.ctx)
  readonly #unlogged = new Unlogged(this.ctx.storage.sql)

  /** @param said by the manifest, whose signature was checked */
  put(manifest: Uint8Array, said: Said, mayBegin: boolean): Answer<ReplyOf<'account.put'>> {
    const { sequence } = said
    const there = this.newest()
    if (there === undefined && !mayBegin) return refuse('realm/closed')
    switch (judgeManifest(there, { manifest, sequence })) {
      case 'same': // the log may be an older copy of itself
        this.ctx.storage.transactionSync(() => this.#queue(manifest, said))
        break
      case 'older':
        return refuse('manifest/older', { sequence: there?.sequence ?? 0 })
      case 'other':
        return refuse('manifest/equivocation', { sequence })
      case 'newer':
        this.ctx.storage.transactionSync(() => {
          const { sql } = this.ctx.storage
          sql.exec(
            'CREATE TABLE IF NOT EXISTS manifest (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER, bytes BLOB)',
          )
          sql.exec('INSERT OR REPLACE INTO manifest VALUES (1, ?, ?)', sequence, manifest)
          for (const packages of Packages.all(sql)) packages.keepOnly(said.devices)
          this.#queue(manifest, said)
        })
    }
    this.ctx.waitUntil(this.#log())
    return DONE
  }

  /** TRL1: what a crash, or a log that could not be reached, left behind. */
  override async alarm(): Promise<void> {
    this.#alarm.came()
    this.#alarm.within(LOG_PATIENCE_MS) // before the call: should this object die in it, the alarm still comes
    await this.#log()
  }

  read(): Answer<ReplyOf<'account.get'>> {
    const newest = this.newest()
    return { reply: newest ? { manifest: newest.manifest } : {} }
  }

  newest(): Newest | undefined {
    const { sql } = this.ctx.storage
    if (!hasTables(sql, 'manifest')) return undefined
    const row = sql.exec('SELECT sequence, bytes FROM manifest').one()
    return { sequence: int(row.sequence), manifest: blob(row.bytes) }
  }

  /** @param sequence of the manifest by which the device and its signature were checked */
  putPackages(published: PublishedPackages, sequence: number): Answer<ReplyOf<'packages.put'>> {
    const { device, suite = 'xwing', packages, lastResort } = published
    // PKG4: a newer manifest came in between, and may be the one that revokes this device.
    if (this.newest()?.sequence !== sequence) {
      return { refusal: { code: 'packages/changed', retryable: true, waitMs: 0 } }
    }
    const sealed = [lastResort, ...packages].map(({ keyPackage, drop }) => {
      const resealed = resealDrop(dropKey(this.env), drop)
      return resealed && { keyPackage, drop: resealed }
    })
    const [last, ...others] = sealed.filter((one) => one !== undefined)
    if (last === undefined || others.length < packages.length) return refuse('drop/invalid')
    this.ctx.storage.transactionSync(() => {
      Packages.openOrCreate(this.ctx.storage.sql, suite).replace(device, others, last, givenDeadline(dayOf(nowMs())))
    })
    return DONE
  }

  countPackages(device: DeviceId, suite: PackageSuite = 'xwing'): Answer<ReplyOf<'packages.count'>> {
    const packages = Packages.open(this.ctx.storage.sql, suite)
    return { reply: packages?.count(device) ?? { left: 0, lastResort: false } }
  }

  /** PKG3: in one transaction, so that a package is given to one asker. */
  takePackages(suite: PackageSuite = 'xwing'): Answer<ReplyOf<'packages.take'>> {
    const packages = Packages.open(this.ctx.storage.sql, suite)
    if (packages === undefined) return { reply: { devices: [] } }
    return { reply: { devices: this.ctx.storage.transactionSync(() => packages.take(dayOf(nowMs()))) } }
  }

  /** Inside the transaction that takes the manifest. */
  #queue(manifest: Uint8Array, { account, sequence }: Said): void {
    this.#unlogged.add({ account, sequence, hash: sha256(manifest) })
    this.#alarm.within(LOG_RETRY_MS)
  }

  /** TRL1: at least once. Not before the manifest is on the disk: the log never forgets one. */
  async #log(): Promise<void> {
    const leaves = this.#unlogged.all()
    try {
      await this.ctx.storage.sync()
      if (leaves.length > 0) await theTransparency(this.env).append(leaves)
    } catch {
      return // the alarm tries again
    }
    this.ctx.storage.transactionSync(() => {
      for (const leaf of leaves) this.#unlogged.delete(leaf)
    })
    if (this.#unlogged.all().length === 0) this.#alarm.clear()
  }
}
