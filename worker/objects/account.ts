import { DurableObject } from 'cloudflare:workers'
import type { PublishedPackages } from '#core/identity/published-packages.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import type { ReplyOf } from '#core/wire/operations.ts'
import { Packages } from '../account/packages.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import { dayOf, nowMs } from '../clock.ts'
import { resealDrop } from '../drops.ts'
import type { Env } from '../env.ts'
import { judgeManifest } from '../rules/manifest.ts'
import { givenDeadline } from '../rules/packages.ts'
import { dropKey } from '../secrets.ts'
import { blob, hasTables, int } from '../storage/values.ts'

type Newest = { readonly sequence: number; readonly manifest: Uint8Array }

/** An account's newest manifest (K-05) and its devices' key packages (C-02), at the address of the account's public id. */
export class Account extends DurableObject<Env> {
  /**
   * @param sequence of the manifest, whose signature was checked
   * @param devices that it lists
   */
  put(
    manifest: Uint8Array,
    sequence: number,
    devices: readonly DeviceId[],
    mayBegin: boolean,
  ): Answer<ReplyOf<'account.put'>> {
    const there = this.newest()
    if (there === undefined && !mayBegin) return refuse('realm/closed')
    switch (judgeManifest(there, { manifest, sequence })) {
      case 'same':
        return DONE
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
          Packages.open(sql)?.keepOnly(devices)
        })
        return DONE
    }
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
  putPackages({ device, packages, lastResort }: PublishedPackages, sequence: number): Answer<ReplyOf<'packages.put'>> {
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
      Packages.openOrCreate(this.ctx.storage.sql).replace(device, others, last, givenDeadline(dayOf(nowMs())))
    })
    return DONE
  }

  countPackages(device: DeviceId): Answer<ReplyOf<'packages.count'>> {
    const packages = Packages.open(this.ctx.storage.sql)
    return { reply: packages?.count(device) ?? { left: 0, lastResort: false } }
  }

  /** PKG3: in one transaction, so that a package is given to one asker. */
  takePackages(): Answer<ReplyOf<'packages.take'>> {
    const packages = Packages.open(this.ctx.storage.sql)
    if (packages === undefined) return { reply: { devices: [] } }
    return { reply: { devices: this.ctx.storage.transactionSync(() => packages.take(dayOf(nowMs()))) } }
  }
}
