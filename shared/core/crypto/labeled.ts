import { expand, extract } from '@noble/hashes/hkdf.js'
import { toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { type HashName, hashFunctions } from './hmac.ts'

const VERSION = toUtf8('HPKE-v1')

/** LabeledExtract and LabeledExpand of RFC 9180 section 4, bound to a suite id. */
export function labeled(hashName: HashName, suiteId: Uint8Array) {
  const hash = hashFunctions[hashName]
  return {
    extract(salt: Uint8Array, label: string, secret: Uint8Array): Uint8Array {
      return extract(hash, new Writer().raw(VERSION).raw(suiteId).raw(toUtf8(label)).raw(secret).done(), salt)
    },
    expand(key: Uint8Array, label: string, info: Uint8Array, length: number): Uint8Array {
      const bound = new Writer().u16(length).raw(VERSION).raw(suiteId).raw(toUtf8(label)).raw(info).done()
      return expand(hash, key, bound, length)
    },
  }
}
