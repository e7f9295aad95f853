import { argon2id as published } from '@noble/hashes/argon2.js'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { argon2id } from '#core/crypto/argon2id.ts'

const params = { salt: new Uint8Array(16).fill(2), memoryKib: 8 * 1024, passes: 1, lanes: 2 }

describe('Argon2id', () => {
  it('[PWD2] the function below gives what RFC 9106 section 5.3 says', () => {
    const given = {
      t: 3,
      m: 32,
      p: 4,
      key: new Uint8Array(8).fill(3),
      personalization: new Uint8Array(12).fill(4),
      dkLen: 32,
    }
    const tag = published(new Uint8Array(32).fill(1), new Uint8Array(16).fill(2), given)
    expect(toHex(tag)).toBe('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659')
  })

  it('[PWD2] is that function, with all of its parameters', async () => {
    const password = new Uint8Array(20).fill(1)
    const expected = published(password, params.salt, {
      m: params.memoryKib,
      t: params.passes,
      p: params.lanes,
      dkLen: 32,
    })
    expect(await argon2id(password, params)).toEqual(expected)
  })

  it.each([
    [{ memoryKib: 4 * 1024 }],
    [{ memoryKib: 512 * 1024 }],
    [{ passes: 0 }],
    [{ passes: 9 }],
    [{ lanes: 0 }],
    [{ lanes: 5 }],
    [{ salt: new Uint8Array(8) }],
  ])('[R-06] a cost out of bounds is refused: %o', async (wrong) => {
    await expect(argon2id(new Uint8Array(12), { ...params, ...wrong })).rejects.toThrow('argon2/params')
  })
})
