import { firstLogHead, nextLogHead } from '#core/channel/log-chain.ts'
import { labels } from '#core/crypto/labels.ts'
import { type SigningKey, signingKeyFromSeed } from '#core/crypto/sign.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { signVaultRecord } from '#core/identity/vault-record.ts'
import type { Address, Head, PostId, Token, TokenHash } from '#core/wire/ids.ts'
import type { ArgsOf, Place, VaultRecord } from '#core/wire/operations.ts'
import { Seeded } from '../seeded.ts'
import type { Caller } from './person.ts'

type Entries = ArgsOf<'log.append'>['entries']

/** An account's log as the relay knows it: an address, an owner, a token for each generation. What it seals is noise. */
export class Keeper {
  readonly dice: Seeded['dice']
  readonly address: Address
  readonly owner: SigningKey
  token: Token
  place: Place
  caller: Caller

  static async make(caller: Caller, seed: number): Promise<Keeper> {
    const { dice } = new Seeded(seed)
    return new Keeper(caller, dice, await signingKeyFromSeed(dice(32)))
  }

  private constructor(caller: Caller, dice: Seeded['dice'], owner: SigningKey) {
    this.caller = caller
    this.dice = dice
    this.owner = owner
    this.address = dice(32) as Address
    this.token = dice(32) as Token
    this.place = { position: 0, head: firstLogHead(this.address) }
  }

  get key() {
    return { address: this.address, token: this.token }
  }

  record(number = 1, generation = 1, token = this.token): VaultRecord {
    return { number, generation, tokenHash: hashToken<TokenHash>(labels.logToken, token), body: this.dice(200) }
  }

  async open(vault = this.record(), owner = this.owner) {
    const signature = await signVaultRecord(vault, owner)
    return this.caller.call('log.open', { address: this.address, owner: owner.publicKey, vault, signature })
  }

  async putVault(vault: VaultRecord, head = this.place, owner = this.owner) {
    const signature = await signVaultRecord(vault, owner)
    return this.caller.call('vault.put', { address: this.address, vault, signature, head })
  }

  entries(count = 1, bytes = 256): Entries {
    return Array.from({ length: count }, () => ({ id: this.dice(16) as PostId, bytes: this.dice(bytes) }))
  }

  /** Appends after the place that this device knows, and goes on to where its entries end. */
  async append(entries = this.entries(), after = this.place): Promise<number> {
    const { position } = await this.caller.call('log.append', { ...this.key, after, entries })
    if (after === this.place) this.place = follow(after, entries)
    return position
  }

  fetch(after = 0) {
    return this.caller.call('log.fetch', { ...this.key, after })
  }

  back(before = 0) {
    return this.caller.call('log.back', { ...this.key, before })
  }
}

/** LOG4: what a device computes. */
export function follow(after: Place, entries: readonly { readonly bytes: Uint8Array }[]): Place {
  let { position, head } = after
  for (const { bytes } of entries) head = nextLogHead(head, ++position, bytes) as Head
  return { position, head }
}
