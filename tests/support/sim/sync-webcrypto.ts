import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { decapsulateBits, encapsulateBits, exportMlKem, importMlKem, isMlKem } from './sync-ml-kem.ts'

/**
 * AES-GCM, Ed25519 and X25519 of WebCrypto on the same OpenSSL without its threads, and ML-KEM, which Node has not: answers come in the order of the
 * questions, so a seed gives the same run, and a simulated second costs a tenth. Everything else is WebCrypto's own.
 */
const TAG_BYTES = 16
const RAW_BYTES = 32
const CURVES = ['Ed25519', 'X25519'] as const
type Curve = (typeof CURVES)[number]
type Held = { readonly raw: Uint8Array } | { readonly object: KeyObject }

const held = new WeakMap<object, Held>()
let installed = false

export function installSyncWebCrypto(): void {
  if (installed) return
  installed = true
  const native = Object.getPrototypeOf(crypto.subtle) as Record<string, (...args: never[]) => Promise<unknown>>
  const add = (name: string, value: (...args: never[]) => Promise<unknown>): void =>
    void Object.defineProperty(crypto.subtle, name, { configurable: true, value })
  add('encapsulateBits', encapsulateBits)
  add('decapsulateBits', decapsulateBits)
  const replace = (name: string, run: (...args: never[]) => unknown): void => {
    const before = native[name]
    Object.defineProperty(crypto.subtle, name, {
      configurable: true,
      value: async (...args: never[]) => {
        const answer = run(...args)
        return answer === undefined ? before?.apply(crypto.subtle, args) : answer
      },
    })
  }
  replace('importKey', importKey as never)
  replace('exportKey', exportKey as never)
  replace('generateKey', generateKey as never)
  replace('encrypt', encrypt as never)
  replace('decrypt', decrypt as never)
  replace('sign', signWith as never)
  replace('verify', verifyWith as never)
  replace('deriveBits', deriveBits as never)
}

type Named = string | { readonly name: string }
const nameOf = (algorithm: Named): string => (typeof algorithm === 'string' ? algorithm : algorithm.name)
const isCurve = (name: string): name is Curve => (CURVES as readonly string[]).includes(name)
/** OpenSSL reads a key of these curves from a JWK ten times as fast as from DER. */
const jwkOf = (crv: Curve, fields: Record<string, Uint8Array>): Record<string, string> => ({
  kty: 'OKP',
  crv,
  ...Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString('base64url')]),
  ),
})

function handle(kept: Held, type: string, name: string, extractable: boolean, usages: readonly string[]): object {
  const key = { type, algorithm: { name }, extractable, usages }
  held.set(key, kept)
  return key
}

function importKey(
  format: string,
  data: Uint8Array,
  algorithm: Named,
  extractable: boolean,
  usages: string[],
): unknown {
  if (isMlKem(algorithm)) return importMlKem(format, data, extractable)
  const name = nameOf(algorithm)
  const bytes = new Uint8Array(data)
  if (name === 'AES-GCM' && format === 'raw') return handle({ raw: bytes }, 'secret', name, extractable, usages)
  if (!isCurve(name)) return undefined
  if (format === 'raw') {
    const object = createPublicKey({ key: jwkOf(name, { x: bytes }), format: 'jwk' })
    return handle({ object }, 'public', name, extractable, usages)
  }
  if (format !== 'pkcs8') return undefined
  const d = bytes.subarray(-RAW_BYTES)
  const object = createPrivateKey({ key: jwkOf(name, { d, x: d }), format: 'jwk' }) // its x is asked for and not read
  return handle({ object }, 'private', name, extractable, usages)
}

function exportKey(format: string, key: object): unknown {
  if (isMlKem((key as { readonly algorithm?: unknown }).algorithm)) return exportMlKem(key)
  const kept = held.get(key)
  if (kept === undefined) return undefined
  if (!(key as { extractable: boolean }).extractable && (key as { type: string }).type !== 'public') {
    throw new DOMException('key is not extractable', 'InvalidAccessError')
  }
  if ('raw' in kept) return kept.raw.slice().buffer
  if (format === 'jwk') return kept.object.export({ format: 'jwk' })
  const { x = '' } = kept.object.export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x, 'base64url')).buffer
}

function generateKey(algorithm: Named, extractable: boolean, usages: string[]): unknown {
  const name = nameOf(algorithm)
  if (!isCurve(name)) return undefined
  const pair = name === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')
  return {
    privateKey: handle({ object: pair.privateKey }, 'private', name, extractable, usages),
    publicKey: handle({ object: pair.publicKey }, 'public', name, true, usages),
  }
}

type Gcm = { readonly name: string; readonly iv: Uint8Array; readonly additionalData?: Uint8Array }

function encrypt({ iv, additionalData }: Gcm, key: object, data: Uint8Array): unknown {
  const kept = held.get(key)
  if (kept === undefined || !('raw' in kept)) return undefined
  const cipher = createCipheriv(kept.raw.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', kept.raw, new Uint8Array(iv))
  if (additionalData !== undefined) cipher.setAAD(new Uint8Array(additionalData))
  const sealed = Buffer.concat([cipher.update(new Uint8Array(data)), cipher.final(), cipher.getAuthTag()])
  return new Uint8Array(sealed).buffer
}

function decrypt({ iv, additionalData }: Gcm, key: object, data: Uint8Array): unknown {
  const kept = held.get(key)
  if (kept === undefined || !('raw' in kept)) return undefined
  const bytes = new Uint8Array(data)
  try {
    const cipher = createDecipheriv(
      kept.raw.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm',
      kept.raw,
      new Uint8Array(iv),
    )
    if (additionalData !== undefined) cipher.setAAD(new Uint8Array(additionalData))
    cipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    const plain = Buffer.concat([cipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), cipher.final()])
    return new Uint8Array(plain).buffer
  } catch {
    throw new DOMException('The operation failed', 'OperationError')
  }
}

function signWith(_algorithm: Named, key: object, data: Uint8Array): unknown {
  const kept = held.get(key)
  return kept && 'object' in kept ? new Uint8Array(sign(null, new Uint8Array(data), kept.object)).buffer : undefined
}

function verifyWith(_algorithm: Named, key: object, signature: Uint8Array, data: Uint8Array): unknown {
  const kept = held.get(key)
  if (!(kept && 'object' in kept)) return undefined
  return verify(null, new Uint8Array(data), kept.object, new Uint8Array(signature))
}

function deriveBits(algorithm: { readonly name: string; readonly public?: object }, key: object): unknown {
  const kept = held.get(key)
  const theirs = algorithm.public && held.get(algorithm.public)
  if (algorithm.name !== 'X25519' || !kept || !theirs || !('object' in kept) || !('object' in theirs)) return undefined
  return new Uint8Array(diffieHellman({ privateKey: kept.object, publicKey: theirs.object })).buffer
}
