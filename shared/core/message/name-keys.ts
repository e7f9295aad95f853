import { concatBytes } from '../bytes/concat.ts'
import { HPKE_OVERHEAD_BYTES, openHpke, sealHpke } from '../crypto/hpke.ts'
import { labels } from '../crypto/labels.ts'
import type { Dice } from '../crypto/random.ts'
import { type DhKeyPair, dhKeyPairFrom, X25519_KEY_BYTES } from '../crypto/x25519.ts'
import { WireError } from '../errors.ts'
import { type AccountId, type Address, TOKEN_BYTES, type Token } from '../wire/ids.ts'

/**
 * Keys of a channel's name (docs/spec/names.md, NAM6): by the token the relay shows and settles requests to join, by the seed's
 * X25519 key they are opened. In a box, sealed with HPKE to the account key of one who may add people:
 *
 *   32B  token
 *   32B  seed
 */
export type NameKeys = { readonly token: Token; readonly seed: Uint8Array }

export const NAME_BOX_BYTES = HPKE_OVERHEAD_BYTES + TOKEN_BYTES + X25519_KEY_BYTES

export function makeNameKeys(dice: Dice): NameKeys {
  return { token: dice(TOKEN_BYTES) as Token, seed: dice(X25519_KEY_BYTES) }
}

/** To which requests are sealed. */
export function joinKeyPair({ seed }: Pick<NameKeys, 'seed'>): Promise<DhKeyPair> {
  return dhKeyPairFrom(seed)
}

type Place = { readonly address: Address; readonly account: AccountId }

export function sealNameKeys(hpkeKey: Uint8Array, place: Place, { token, seed }: NameKeys): Promise<Uint8Array> {
  return sealHpke(hpkeKey, labels.nameKeys, boundTo(place), concatBytes(token, seed))
}

/** @throws WireError, CryptoError when it is not for this account, or for another channel */
export async function openNameKeys(pair: DhKeyPair, place: Place, box: Uint8Array): Promise<NameKeys> {
  if (box.length !== NAME_BOX_BYTES) throw new WireError('keeper/length')
  const opened = await openHpke(pair, labels.nameKeys, boundTo(place), box)
  return { token: opened.slice(0, TOKEN_BYTES) as Token, seed: opened.slice(TOKEN_BYTES) }
}

function boundTo({ address, account }: Place): Uint8Array {
  return concatBytes(address, account)
}
