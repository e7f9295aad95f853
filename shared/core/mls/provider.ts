import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import type { Hpke, PrivateKey, PublicKey } from 'ts-mls/crypto/hpke.js'
import { decryptAead, encryptAead } from '../crypto/aes-gcm.ts'
import { dhkem } from '../crypto/dhkem.ts'
import type { HashName } from '../crypto/hmac.ts'
import { hpke, NONCE_BYTES } from '../crypto/hpke-suite.ts'
import type { Kem, KemKeyPair, KemPrivateKey, KemPublicKey } from '../crypto/kem.ts'
import type { KeyRing } from '../crypto/key-handle.ts'
import type { Dice } from '../crypto/random.ts'
import { verify } from '../crypto/sign.ts'
import { xWing } from '../crypto/x-wing.ts'
import { CryptoError, UsageError } from '../errors.ts'
import { mlsHashes, mlsKdfs } from './hashing.ts'
import type { Signer } from './signer.ts'
import { SUITE_CLASSICAL, SUITE_XWING, type SuiteId, suiteName } from './suite.ts'

/**
 * What ts-mls asks of a cryptographic provider. Its stock ones import dynamically, which a service worker refuses, and
 * draw their own randomness. Randomness and signing come in from outside here; everything else is shared by all groups.
 */
export type ProviderInput = { readonly dice?: Dice; readonly signer?: Signer }

type Primitives = { readonly hash: HashName; readonly kem: Kem; readonly keyBytes: 16 | 32 }

const PRIMITIVES: Readonly<Record<SuiteId, Primitives>> = {
  [SUITE_CLASSICAL]: { hash: 'sha256', kem: dhkem, keyBytes: 16 },
  [SUITE_XWING]: { hash: 'sha512', kem: xWing, keyBytes: 32 },
}
const HPKES = {
  [SUITE_CLASSICAL]: hpke(PRIMITIVES[SUITE_CLASSICAL]),
  [SUITE_XWING]: hpke(PRIMITIVES[SUITE_XWING]),
}

export function provider(suite: SuiteId, { dice = noDice, signer }: ProviderInput = {}): CiphersuiteImpl {
  const { hash } = PRIMITIVES[suite]
  return {
    name: suiteName(suite),
    hash: mlsHashes[hash],
    kdf: mlsKdfs[hash],
    rng: { randomBytes: dice },
    hpke: mlsHpke(suite, dice, signer?.ring),
    signature: {
      sign: async (_noBytes, message) => {
        if (signer === undefined) throw new UsageError('mls/no-signer')
        return signer.sign(message)
      },
      verify: (publicKey, message, signature) => verify(publicKey, message, signature),
      keygen: () => Promise.reject(new UsageError('mls/no-keygen')),
    },
  }
}

/** MLS25: by its bytes alone. @throws CryptoError 'mls/policy/public-key' */
export function checkPublicKey(suite: SuiteId, bytes: Uint8Array): void {
  if (!PRIMITIVES[suite].kem.isPublicKey(bytes)) throw new CryptoError('mls/policy/public-key')
}

function mlsHpke(suite: SuiteId, dice: Dice, ring: KeyRing | undefined): Hpke {
  const { kem, keyBytes } = PRIMITIVES[suite]
  const base = HPKES[suite]
  return {
    keyLength: keyBytes,
    nonceLength: NONCE_BYTES,
    encryptAead,
    decryptAead: (...sealed) => openedBy(decryptAead(...sealed)),
    seal: (to, plaintext, info, aad) => base.seal(ours(to), info, aad, plaintext, dice),
    open: (own, enc, ct, info, aad) => openedBy(base.open(ours(own), enc, info, aad, ct, ring)),
    exportSecret: (to, context, length, info) => base.sendExport(ours(to), info, context, length, dice),
    importSecret: (own, context, enc, length, info) => base.receiveExport(ours(own), enc, info, context, length),
    importPrivateKey: async (bytes) => theirs<PrivateKey>({ bytes }),
    importPublicKey: async (bytes) => theirs<PublicKey>({ bytes }),
    exportPrivateKey: async (key) => ours(key).bytes,
    exportPublicKey: async (key) => ours(key).bytes,
    deriveKeyPair: async (secret) => theirPair(await kem.derive(secret)),
    generateKeyPair: async () => theirPair(await kem.generate(dice, ring)),
  }
}

/** @throws CryptoError 'mls/open' for whatever does not open in a group */
async function openedBy(opening: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await opening
  } catch (cause) {
    throw cause instanceof CryptoError && cause.code === 'aead/open' ? new CryptoError('mls/open', { cause }) : cause
  }
}

// ts-mls types HPKE keys as WebCrypto's, and only ever hands them back. These three are where one becomes the other.
function theirs<Key extends PrivateKey | PublicKey>(key: KemPrivateKey | KemPublicKey): Key {
  return key as unknown as Key
}

function ours(key: PrivateKey | PublicKey): KemPrivateKey & KemPublicKey {
  return key as unknown as KemPrivateKey & KemPublicKey
}

function theirPair({ privateKey, publicKey }: KemKeyPair) {
  return { privateKey: theirs<PrivateKey>(privateKey), publicKey: theirs<PublicKey>(publicKey) }
}

const noDice: Dice = () => {
  throw new UsageError('mls/no-dice')
}
