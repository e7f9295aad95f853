import { UsageError } from '../errors.ts'
import { AEAD_KEY_BYTES } from './aead.ts'
import { source } from './source.ts'

/** A key that wraps other keys and does nothing else; never leaves WebCrypto (K-04). */
export const WRAP_USAGES: readonly ('wrapKey' | 'unwrapKey')[] = ['wrapKey', 'unwrapKey']

export async function importWrapKey(bytes: Uint8Array): Promise<CryptoKey> {
  if (bytes.length !== AEAD_KEY_BYTES) throw new UsageError('wrap-key/length')
  return crypto.subtle.importKey('raw', source(bytes), 'AES-GCM', false, WRAP_USAGES)
}
