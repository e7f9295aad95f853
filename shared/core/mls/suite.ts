import type { CiphersuiteName } from 'ts-mls/crypto/ciphersuite.js'
import { WireError } from '../errors.ts'

/**
 * The cipher suites of Stave (MLS1). The id is in everything that is stored or sent. X-Wing has no number from IANA yet,
 * so it has one of the private range (RFC 9420 section 17.1).
 */
export const SUITE_CLASSICAL = 0x0001 // MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519
export const SUITE_XWING = 0xf0a1 // X-Wing, AES-256-GCM, SHA-512, Ed25519
export type SuiteId = typeof SUITE_CLASSICAL | typeof SUITE_XWING

/** Larger channels are classical: DESIGN, Suite. */
export const DEFAULT_SUITE: SuiteId = SUITE_XWING

/** ts-mls knows suites by name, and one that it does not know by its number in decimal. */
const NAMES: Readonly<Record<SuiteId, CiphersuiteName>> = {
  [SUITE_CLASSICAL]: 'MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519',
  [SUITE_XWING]: String(SUITE_XWING) as CiphersuiteName,
}

export function suiteName(suite: SuiteId): CiphersuiteName {
  return NAMES[suite]
}

/** @throws WireError 'mls/suite' for one that Stave does not speak */
export function suiteOfName(name: string): SuiteId {
  for (const suite of [SUITE_XWING, SUITE_CLASSICAL] as const) if (NAMES[suite] === name) return suite
  throw new WireError('mls/suite')
}

/** @throws WireError 'mls/suite' */
export function toSuiteId(id: number): SuiteId {
  if (id === SUITE_CLASSICAL || id === SUITE_XWING) return id
  throw new WireError('mls/suite')
}
