import type { Capabilities } from 'ts-mls/capabilities.js'
import type { ClientConfig } from 'ts-mls/clientConfig.js'
import type { Credential } from 'ts-mls/credential.js'
import type { LeafNode } from 'ts-mls/leafNode.js'
import { equalBytes } from '../bytes/equal.ts'
import { CryptoError } from '../errors.ts'
import { type Certificate, decodeCertificate, verifyCertificate } from '../identity/certificate.ts'
import { CHANNEL_EXTENSION } from './channel-context.ts'
import { checkPublicKey } from './provider.ts'
import { type SuiteId, suiteName } from './suite.ts'

/** What a device's leaf says of it (MLS2): a basic credential whose identity is the device's certificate. */
export function toCredential(certificate: Uint8Array): Credential {
  return { credentialType: 'basic', identity: certificate }
}

/** Small on purpose: in every leaf, and so in every tree. */
export function capabilitiesOf(suite: SuiteId): Capabilities {
  return {
    versions: ['mls10'],
    ciphersuites: [suiteName(suite)],
    extensions: [CHANNEL_EXTENSION],
    proposals: [],
    credentials: ['basic'],
  }
}

const known = new WeakMap<Credential, Certificate>()

/** @throws CryptoError 'mls/policy/credential' when it is no certificate; whether it holds, `checkCertificate` says */
export function certificateOf(credential: Credential): Certificate {
  const before = known.get(credential)
  if (before !== undefined) return before
  if (credential.credentialType !== 'basic') throw new CryptoError('mls/policy/credential')
  try {
    const certificate = decodeCertificate(credential.identity)
    known.set(credential, certificate)
    return certificate
  } catch (cause) {
    throw new CryptoError('mls/policy/credential', { cause })
  }
}

/** MLS2: certified by the account it names, for the very key that the leaf signs with. @throws CryptoError */
async function checkCertificate(credential: Credential, signatureKey: Uint8Array): Promise<void> {
  const certificate = certificateOf(credential)
  if (!equalBytes(certificate.signatureKey, signatureKey)) throw new CryptoError('mls/policy/signature-key')
  if (!(await verifyCertificate(certificate))) throw new CryptoError('mls/policy/certificate')
}

/** MLS3: a leaf claims exactly what the profile has, and carries no extension; MLS25: anybody can seal to it. @throws CryptoError */
export function checkLeafShape(leaf: LeafNode, suite: SuiteId): void {
  const { versions, ciphersuites, extensions, proposals, credentials } = leaf.capabilities
  const ours = capabilitiesOf(suite)
  const same =
    versions.join() === ours.versions.join() &&
    ciphersuites.join() === ours.ciphersuites.join() &&
    extensions.join() === ours.extensions.join() &&
    proposals.length === 0 &&
    credentials.join() === ours.credentials.join()
  if (!same) throw new CryptoError('mls/policy/capabilities')
  checkPublicKey(suite, leaf.hpkePublicKey)
  if (leaf.extensions.length > 0) throw new CryptoError('mls/policy/leaf-extensions')
}

/** MLS12: 2,000 steps ahead, 256 late messages, 8 past epochs. Padding is the envelope's (T-02), so none here. */
export const MAX_STEPS_AHEAD = 2000
export const MAX_PAST_EPOCHS = 8

/** What ts-mls calls back: every leaf that comes into a tree passes `checkCertificate`. */
export const clientConfig: ClientConfig = {
  keyRetentionConfig: {
    retainKeysForGenerations: 256,
    retainKeysForEpochs: MAX_PAST_EPOCHS,
    maximumForwardRatchetSteps: MAX_STEPS_AHEAD,
  },
  lifetimeConfig: { maximumTotalLifetime: 0n, validateLifetimeOnReceive: false }, // judged in judge-commit.ts, MLS9
  keyPackageEqualityConfig: {
    compareKeyPackages: (a, b) => isSameDevice(a.leafNode.credential, b.leafNode.credential),
    compareKeyPackageToLeafNode: (keyPackage, leaf) => isSameDevice(keyPackage.leafNode.credential, leaf.credential),
  },
  paddingConfig: { kind: 'alwaysPad', paddingLength: 0 },
  authService: {
    async validateCredential(credential, signatureKey) {
      await checkCertificate(credential, signatureKey)
      return true
    },
  },
}

function isSameDevice(a: Credential, b: Credential): boolean {
  const [one, other] = [certificateOf(a), certificateOf(b)]
  return equalBytes(one.account, other.account) && equalBytes(one.deviceId, other.deviceId)
}
