import { describe, expect, it } from 'vitest'
import { isStopped, isVerified, openAlarms, plainName } from '#app/contact/verified.ts'
import type { AlarmRecord, ContactRecord } from '#app/ports/records.ts'
import type { AccountId } from '#core/wire/ids.ts'

const bea: ContactRecord = {
  account: new Uint8Array(32).fill(1) as AccountId,
  name: 'Bea',
  manifest: Uint8Array.of(1),
  sequence: 1,
}
const verified: ContactRecord = { ...bea, verified: { is: true, atMs: 1 } }
const alarm = (kind: AlarmRecord['kind'], more: Partial<AlarmRecord> = {}): AlarmRecord => ({
  kind,
  about: bea.account,
  evidence: Uint8Array.of(1),
  atMs: 1,
  ...more,
})

describe('a person who was verified', () => {
  it('[K-11] is stopped by what was found about them, until it is looked at', () => {
    expect(isStopped(verified, [])).toBe(false)
    expect(isStopped(verified, [alarm('key-swap')])).toBe(true)
    expect(isStopped(verified, [alarm('key-swap', { looked: true })])).toBe(false)
    expect(isStopped(verified, [alarm('rollback', { about: new Uint8Array(32) as AccountId })])).toBe(false)
  })

  it('[K-11] alone is stopped, except by a name that somebody who is verified has', () => {
    expect(isStopped(bea, [alarm('key-swap')])).toBe(false)
    expect(isStopped(bea, [alarm('same-name')])).toBe(true)
    expect(openAlarms([alarm('key-swap')], bea)).toHaveLength(1)
  })

  it('[K-11] is not any more once that was taken back', () => {
    expect(isVerified(verified)).toBe(true)
    expect(isVerified({ verified: { is: false, atMs: 2 } })).toBe(false)
  })

  it('[K-12] has a name that is read the same however it is written', () => {
    for (const name of ['Bea', ' bea ', 'BEA', 'Ｂｅａ']) expect(plainName(name)).toBe('bea')
    expect(plainName('Bea  B')).toBe('bea b')
    expect(plainName('Beb')).not.toBe('bea')
  })
})
