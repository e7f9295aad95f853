import { sha256 } from '#core/crypto/hash.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import type { PackageSuite } from '#core/wire/operations.ts'
import { blob, hasTables, int } from '../storage/values.ts'

/** `hash` outlives what it is of, so that a package which was given out does not come back (PKG3). */
const schemaOf = (table: Table): string => `
  CREATE TABLE ${table} (
    n INTEGER PRIMARY KEY AUTOINCREMENT, device BLOB NOT NULL, hash BLOB NOT NULL, last INTEGER NOT NULL,
    given_day INTEGER, key_package BLOB, drop_ BLOB, UNIQUE (device, hash));
  CREATE INDEX ${table}_left ON ${table} (device, last, n) WHERE given_day IS NULL;
`
/** Whoever takes some for a group gets those of its suite: each has a table of its own. */
const TABLES = { xwing: 'packages', classical: 'classical_packages' } as const
type Table = (typeof TABLES)[PackageSuite]
const LEFT = 'given_day IS NULL AND last = 0'

/** Its drop is sealed anew for this row (DRP2). */
export type Package = { readonly keyPackage: Uint8Array; readonly drop: Uint8Array }
export type Given = Package & { readonly device: DeviceId }

/** Key packages of an account's devices (docs/spec/packages.md). Made when the first device leaves some. */
export class Packages {
  readonly #sql: SqlStorage
  readonly #table: Table

  static open(sql: SqlStorage, suite: PackageSuite): Packages | undefined {
    return hasTables(sql, TABLES[suite]) ? new Packages(sql, TABLES[suite]) : undefined
  }

  /** Inside a transaction. */
  static openOrCreate(sql: SqlStorage, suite: PackageSuite): Packages {
    const table = TABLES[suite]
    if (!hasTables(sql, table)) sql.exec(schemaOf(table))
    return new Packages(sql, table)
  }

  /** Of every suite. */
  static all(sql: SqlStorage): readonly Packages[] {
    return (['xwing', 'classical'] as const).flatMap((suite) => Packages.open(sql, suite) ?? [])
  }

  private constructor(sql: SqlStorage, table: Table) {
    this.#sql = sql
    this.#table = table
  }

  /** Inside a transaction. PKG2: these, and none of those that were there; PKG3: nor any that was given out before. */
  replace(device: DeviceId, packages: readonly Package[], lastResort: Package, forgottenDay: number): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE given_day <= ?`, forgottenDay)
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE device = ? AND given_day IS NULL`, device)
    this.#add(device, lastResort, true)
    for (const one of packages) this.#add(device, one, false)
  }

  /** Inside a transaction. The oldest of each device, or its last resort, which stays. */
  take(day: number): Given[] {
    const left = `SELECT DISTINCT device FROM ${this.#table} WHERE given_day IS NULL ORDER BY device`
    const devices = [...this.#sql.exec(left)]
    return devices.flatMap((row) => this.#takeOf(blob<DeviceId>(row.device), day))
  }

  count(device: DeviceId): { readonly left: number; readonly lastResort: boolean } {
    const count = (which: string): number =>
      int(this.#sql.exec(`SELECT count(*) AS n FROM ${this.#table} WHERE device = ? AND ${which}`, device).one().n)
    return { left: count(LEFT), lastResort: count('last = 1') > 0 }
  }

  /** Inside a transaction. PKG4: what a device that is not listed any more left here is gone, with all memory of it. */
  keepOnly(devices: readonly DeviceId[]): void {
    const listed = devices.map(() => '?').join()
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE device NOT IN (${listed})`, ...devices)
  }

  #add(device: DeviceId, { keyPackage, drop }: Package, last: boolean): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO ${this.#table} (device, hash, last, key_package, drop_) VALUES (?, ?, ?, ?, ?)`,
      ...[device, sha256(keyPackage), last ? 1 : 0, keyPackage, drop],
    )
  }

  #takeOf(device: DeviceId, day: number): Given[] {
    const query = `SELECT n, last, key_package, drop_ FROM ${this.#table} WHERE device = ? AND given_day IS NULL`
    const [row] = this.#sql.exec(`${query} ORDER BY last, n LIMIT 1`, device).toArray()
    if (row === undefined) return []
    if (row.last === 0) {
      const given = `UPDATE ${this.#table} SET given_day = ?, key_package = NULL, drop_ = NULL WHERE n = ?`
      this.#sql.exec(given, day, int(row.n))
    }
    return [{ device, keyPackage: blob(row.key_package), drop: blob(row.drop_) }]
  }
}
