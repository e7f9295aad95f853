import {
  generateKeyPackageWithKey,
  type KeyPackage,
  makeKeyPackageRef,
  type PrivateKeyPackage,
  verifyKeyPackage,
} from 'ts-mls/keyPackage.js'
import { verifyLeafNodeSignatureKeyPackage } from 'ts-mls/leafNode.js'
import type { Lifetime } from 'ts-mls/lifetime.js'
import { Reader } from '../bytes/reader.ts'
import { wipe } from '../bytes/wipe.ts'
import { Writer } from '../bytes/writer.ts'
import { handlesNeeded } from '../crypto/key-handle.ts'
import type { Dice } from '../crypto/random.ts'
import { CryptoError, UsageError, WireError } from '../errors.ts'
import type { Certificate } from '../identity/certificate.ts'
import { capabilitiesOf, certificateOf, checkLeafShape, clientConfig, toCredential } from './leaf.ts'
import { checkPublicKey, provider } from './provider.ts'
import type { Signer } from './signer.ts'
import { type SuiteId, suiteOfName, toSuiteId } from './suite.ts'
import { decodeMessage, encodeMessage } from './wire.ts'

/** MLS9. What is made is backdated by an hour, for clocks that are behind. */
export const MAX_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000
const BACKDATED_MS = 60 * 60 * 1000
/** A key package with this extension may be used again until its device has replaced it (MLS10). */
const LAST_RESORT_EXTENSION = 0xf0a3
const MAX_KEY_PACKAGE_BYTES = 16 * 1024
const SECRET_VERSION = 0x01
const MAX_SECRET_BYTES = 1024

export type KeyPackageInput = {
  readonly suite: SuiteId
  readonly signer: Signer
  readonly certificate: Uint8Array
  readonly nowMs: number
  readonly lifetimeMs: number
  readonly lastResort?: boolean
}

/** `secret` opens the one welcome that comes for this key package; it is sealed at rest and wiped after use. */
export type MadeKeyPackage = { readonly keyPackage: Uint8Array; readonly ref: Uint8Array; readonly secret: Uint8Array }

export async function makeKeyPackage(input: KeyPackageInput, dice: Dice): Promise<MadeKeyPackage> {
  if (input.lifetimeMs <= 0 || input.lifetimeMs > MAX_LIFETIME_MS) throw new UsageError('mls/lifetime')
  const { publicPackage, privatePackage } = await generate(input, dice)
  const secret = encodeSecret(input.suite, privatePackage)
  const ref = await makeKeyPackageRef(publicPackage, provider(input.suite).hash)
  return { keyPackage: encodeMessage({ wireformat: 'mls_key_package', keyPackage: publicPackage }), ref, secret }
}

export function generate(input: KeyPackageInput, dice: Dice) {
  const { suite, signer, certificate, nowMs, lifetimeMs, lastResort = false } = input
  return generateKeyPackageWithKey(
    toCredential(certificate),
    capabilitiesOf(suite),
    { notBefore: toSeconds(nowMs - BACKDATED_MS), notAfter: toSeconds(nowMs + lifetimeMs) },
    lastResort ? [{ extensionType: LAST_RESORT_EXTENSION, extensionData: new Uint8Array() }] : [],
    { publicKey: signer.publicKey, signKey: new Uint8Array() },
    provider(suite, { dice, signer }),
  )
}

/** For who makes a group: nobody welcomes it, so its init key goes at once. */
export async function generateLeaf(input: Omit<KeyPackageInput, 'lifetimeMs' | 'lastResort'>, dice: Dice) {
  const { publicPackage, privatePackage } = await generate({ ...input, lifetimeMs: 1000 }, dice)
  const { initPrivateKey } = privatePackage
  for (const name of handlesNeeded([initPrivateKey])) await input.signer.ring?.remove(name)
  wipe(initPrivateKey)
  return { publicPackage, privatePackage: { ...privatePackage, initPrivateKey: new Uint8Array() } }
}

export type ReadKeyPackage = {
  readonly suite: SuiteId
  readonly certificate: Certificate
  readonly ref: Uint8Array
  readonly notAfterMs: number
  readonly lastResort: boolean
}

/**
 * Verifies all that does not depend on the time: signatures, certificate, shape and length of the lifetime.
 * @throws WireError, CryptoError
 */
export async function readKeyPackage(bytes: Uint8Array): Promise<ReadKeyPackage> {
  const keyPackage = decodeKeyPackageMessage(bytes)
  const suite = suiteOfName(keyPackage.cipherSuite)
  const cs = provider(suite)
  const { leafNode } = keyPackage
  checkKeyPackageShape(keyPackage, suite)
  await clientConfig.authService.validateCredential(leafNode.credential, leafNode.signaturePublicKey)
  const leafSigned = await verifyLeafNodeSignatureKeyPackage(leafNode, cs.signature)
  if (!leafSigned || !(await verifyKeyPackage(keyPackage, cs.signature))) throw new CryptoError('mls/key-package')
  return {
    suite,
    certificate: certificateOf(leafNode.credential),
    ref: await makeKeyPackageRef(keyPackage, cs.hash),
    notAfterMs: Number(leafNode.lifetime.notAfter) * 1000,
    lastResort: isLastResort(keyPackage),
  }
}

/** MLS3, MLS25 and MLS9, as far as any time is no part of it. @throws CryptoError */
export function checkKeyPackageShape({ leafNode, extensions, initKey }: KeyPackage, suite: SuiteId): void {
  checkLeafShape(leafNode, suite)
  checkPublicKey(suite, initKey)
  const unknown = extensions.some(({ extensionType }) => extensionType !== LAST_RESORT_EXTENSION)
  if (unknown) throw new CryptoError('mls/policy/key-package-extensions')
  const { notBefore, notAfter } = leafNode.lifetime
  const longest = toSeconds(MAX_LIFETIME_MS + BACKDATED_MS)
  if (notAfter <= notBefore || notAfter - notBefore > longest) throw new CryptoError('mls/policy/lifetime-length')
}

/** MLS9: judged at a commit's own time. */
export function isAlive({ notBefore, notAfter }: Lifetime, timeMs: number): boolean {
  const time = toSeconds(timeMs)
  return notBefore <= time && time <= notAfter
}

/** @throws WireError 'mls/key-package' */
export function decodeKeyPackageMessage(bytes: Uint8Array): KeyPackage {
  if (bytes.length > MAX_KEY_PACKAGE_BYTES) throw new WireError('mls/key-package')
  const message = decodeMessage(bytes)
  if (message.wireformat !== 'mls_key_package') throw new WireError('mls/key-package')
  return message.keyPackage
}

function isLastResort({ extensions }: KeyPackage): boolean {
  return extensions.some(({ extensionType }) => extensionType === LAST_RESORT_EXTENSION)
}

function toSeconds(ms: number): bigint {
  return BigInt(Math.floor(ms / 1000))
}

/** 1B version, 2B suite, then init and leaf private keys, each with its 4B length. */
function encodeSecret(suite: SuiteId, { initPrivateKey, hpkePrivateKey }: PrivateKeyPackage): Uint8Array {
  return new Writer().u8(SECRET_VERSION).u16(suite).block(initPrivateKey).block(hpkePrivateKey).done()
}

/** Handles that a key package's secret refers to: they go with it, once its welcome has been used. */
export function handlesOfSecret(secret: Uint8Array): readonly string[] {
  const { keys } = decodeSecret(secret)
  return handlesNeeded([keys.initPrivateKey, keys.hpkePrivateKey])
}

export function decodeSecret(bytes: Uint8Array): { suite: SuiteId; keys: PrivateKeyPackage } {
  const r = new Reader(bytes, MAX_SECRET_BYTES)
  if (r.u8() !== SECRET_VERSION) throw new WireError('mls/key-package-secret')
  const suite = toSuiteId(r.u16())
  const initPrivateKey = r.block(MAX_SECRET_BYTES)
  const hpkePrivateKey = r.block(MAX_SECRET_BYTES)
  r.end()
  return { suite, keys: { initPrivateKey, hpkePrivateKey, signaturePrivateKey: new Uint8Array() } }
}
