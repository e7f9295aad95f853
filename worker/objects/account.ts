import { DurableObject } from 'cloudflare:workers'
import type { ReplyOf } from '#core/wire/operations.ts'
import { type Answer, DONE, refuse } from '../answer.ts'
import type { Env } from '../env.ts'
import { judgeManifest } from '../rules/manifest.ts'
import { blob, hasTables, int } from '../storage/values.ts'

/** An account's newest manifest (K-05). It is at the address of the account's public id, and holds nothing else. */
export class Account extends DurableObject<Env> {
  /** @param sequence of the manifest, whose signature was checked */
  put(manifest: Uint8Array, sequence: number, mayBegin: boolean): Answer<ReplyOf<'account.put'>> {
    const there = this.#newest()
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
        })
        return DONE
    }
  }

  read(): Answer<ReplyOf<'account.get'>> {
    const newest = this.#newest()
    return { reply: newest ? { manifest: newest.manifest } : {} }
  }

  #newest(): { readonly sequence: number; readonly manifest: Uint8Array } | undefined {
    const { sql } = this.ctx.storage
    if (!hasTables(sql, 'manifest')) return undefined
    const row = sql.exec('SELECT sequence, bytes FROM manifest').one()
    return { sequence: int(row.sequence), manifest: blob(row.bytes) }
  }
}
