import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'
import { DEFAULT_SETTINGS, type Settings } from '../rules/quota.ts'
import { hasTables } from '../storage/values.ts'

/** The realm's settings. Never on the path of a message: each isolate keeps them for a minute (ops/settings.ts). */
export class Realm extends DurableObject<Env> {
  settings(): Settings {
    const { sql } = this.ctx.storage
    const [row] = hasTables(sql, 'settings') ? sql.exec('SELECT value FROM settings').toArray() : []
    return row ? { ...DEFAULT_SETTINGS, ...JSON.parse(String(row.value)) } : DEFAULT_SETTINGS
  }

  /** For the operator: whoever runs the realm calls it with no client in between. */
  change(changes: Partial<Settings>): Settings {
    const settings = { ...this.settings(), ...changes }
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS settings (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT)')
    sql.exec('INSERT OR REPLACE INTO settings VALUES (1, ?)', JSON.stringify(settings))
    return settings
  }
}
