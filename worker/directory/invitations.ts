import type { InvitationId, TokenHash } from '#core/wire/ids.ts'
import type { Invitation } from '../rules/invitations.ts'
import { type Load, plus } from '../rules/quota.ts'
import { blob, blobOrNone, hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE invitations (
    id BLOB PRIMARY KEY, expires_at INTEGER NOT NULL, token_hash BLOB NOT NULL, revoked INTEGER NOT NULL, claim_key BLOB,
    blob BLOB);
`

export class Invitations {
  readonly #sql: SqlStorage
  #load: Load | undefined

  constructor(sql: SqlStorage) {
    this.#sql = sql
    if (!hasTables(sql, 'invitations')) sql.exec(SCHEMA)
  }

  at(id: InvitationId): Invitation | undefined {
    const [row] = this.#sql.exec('SELECT * FROM invitations WHERE id = ?', id).toArray()
    if (!row) return undefined
    return {
      blob: blobOrNone(row.blob),
      expiresAtMs: int(row.expires_at),
      tokenHash: blob(row.token_hash),
      claimKey: blobOrNone(row.claim_key),
      revoked: row.revoked === 1,
    }
  }

  /** Those that are only remembered are counted too. In memory: to look at all of them for each that comes costs too much. */
  get load(): Load {
    if (this.#load === undefined) {
      const row = this.#sql.exec('SELECT count(*) AS n, total(length(blob)) AS bytes FROM invitations').one()
      this.#load = { count: int(row.n), bytes: int(row.bytes) }
    }
    return this.#load
  }

  put(id: InvitationId, bytes: Uint8Array, expiresAtMs: number, tokenHash: TokenHash): void {
    this.#sql.exec('INSERT INTO invitations VALUES (?, ?, ?, 0, NULL, ?)', id, expiresAtMs, tokenHash, bytes)
    this.#load &&= plus(this.#load, { count: 1, bytes: bytes.length })
  }

  bind(id: InvitationId, claimKey: Uint8Array): void {
    this.#sql.exec('UPDATE invitations SET claim_key = ? WHERE id = ?', claimKey, id)
  }

  revoke(id: InvitationId): void {
    const bytes = this.at(id)?.blob?.length ?? 0
    this.#load &&= plus(this.#load, { count: 0, bytes: -bytes })
    this.#sql.exec('UPDATE invitations SET revoked = 1, blob = NULL WHERE id = ?', id)
  }

  /** Blobs go when they expire; that they were there is remembered for a while. */
  purge(nowMs: number, forgottenMs: number): void {
    this.#load = undefined
    this.#sql.exec('UPDATE invitations SET blob = NULL WHERE expires_at <= ? AND blob IS NOT NULL', nowMs)
    this.#sql.exec('DELETE FROM invitations WHERE expires_at <= ?', forgottenMs)
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM invitations LIMIT 1').toArray().length === 0
  }
}
