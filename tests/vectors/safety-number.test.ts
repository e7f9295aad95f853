import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { toUtf8 } from '#core/bytes/utf8.ts'
import { digitsOf, numericFingerprint } from '#core/identity/safety-number.ts'

const file = resolve(process.env.STAVE_VECTORS ?? '../shared/vectors', 'safety-number.json')
const present = existsSync(file)
if (!present) console.error(`skipped: no safety number vector at ${file}`)
const vector = present ? JSON.parse(readFileSync(file, 'utf8')) : undefined
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

describe.skipIf(!present)('the published safety number', () => {
  it('[K-11] is the one that libsignal shows', () => {
    const of = ({ key, id }: { key: string; id: string }) => numericFingerprint(fromHex(key), toUtf8(id))
    const [alice, bob] = [of(vector.alice), of(vector.bob)]
    expect(toHex(alice.subarray(0, 32))).toBe(vector.fingerprintPrefix32.alice)
    expect(toHex(bob.subarray(0, 32))).toBe(vector.fingerprintPrefix32.bob)
    expect([digitsOf(alice), digitsOf(bob)].sort().join('')).toBe(vector.display)
  })
})
