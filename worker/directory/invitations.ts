import type { InvitationId, TokenHash } from '#core/wire/ids.ts'
import type { Invitation } from '../rules/invitations.ts'
import type { Load } from '../rules/quota.ts'
import { blob, blobOrNone, hasTables, int } from '../storage/values.ts'

const SCHEMA = `
  CREATE TABLE invitations (
    id BLOB PRIMARY KEY, expires_at INTEGER NOT NULL, token_hash BLOB NOT NULL, revoked INTEGER NOT NULL, claim_key BLOB,
    blob BLOB);
`

export class Invitations {
  readonly #sql: SqlStorage

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

  get load(): Load {
    const row = this.#sql
      .exec('SELECT count(*) AS n, coalesce(sum(length(blob)), 0) AS bytes FROM invitations WHERE blob IS NOT NULL')
      .one()
    return { count: int(row.n), bytes: int(row.bytes) }
  }

  put(id: InvitationId, bytes: Uint8Array, expiresAtMs: number, tokenHash: TokenHash): void {
    this.#sql.exec('INSERT INTO invitations VALUES (?, ?, ?, 0, NULL, ?)', id, expiresAtMs, tokenHash, bytes)
  }

  bind(id: InvitationId, claimKey: Uint8Array): void {
    this.#sql.exec('UPDATE invitations SET claim_key = ? WHERE id = ?', claimKey, id)
  }

  revoke(id: InvitationId): void {
    this.#sql.exec('UPDATE invitations SET revoked = 1, blob = NULL WHERE id = ?', id)
  }

  /** Blobs go when they expire; that they were there is remembered for a while. */
  purge(nowMs: number, forgottenMs: number): void {
    this.#sql.exec('UPDATE invitations SET blob = NULL WHERE expires_at <= ? AND blob IS NOT NULL', nowMs)
    this.#sql.exec('DELETE FROM invitations WHERE expires_at <= ?', forgottenMs)
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM invitations LIMIT 1').toArray().length === 0
  }
}
