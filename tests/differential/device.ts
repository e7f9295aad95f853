import { toHex } from '#core/bytes/hex.ts'
import type { Dice } from '#core/crypto/random.ts'

/** How a device of either engine is driven. Commits are public messages: those are all that core-crypto takes. */
export interface Device {
  readonly engine: 'ours' | 'OpenMLS'
  /** A client id as core-crypto wants it in a credential, `<uuid>:<device>@<domain>`. */
  readonly id: string
  keyPackage(): Promise<Uint8Array>
  create(groupId: Uint8Array): Promise<void>
  join(welcome: Uint8Array): Promise<void>
  /** @returns the commit; it is applied here */
  joinBy(groupInfo: Uint8Array): Promise<Uint8Array>
  commit(change: Change): Promise<{ readonly commit: Uint8Array; readonly welcome?: Uint8Array }>
  /** With the tree in it. */
  groupInfo(): Promise<Uint8Array>
  /** A commit of somebody else. */
  follow(commit: Uint8Array): Promise<void>
  seal(plaintext: Uint8Array): Promise<Uint8Array>
  open(message: Uint8Array): Promise<Uint8Array>
  epoch(): Promise<number>
  exported(): Promise<Uint8Array>
  members(): Promise<readonly string[]>
}

/** Key packages and ids; neither: new keys for the committer. */
export type Change = { readonly adds?: readonly Uint8Array[]; readonly removes?: readonly string[] }

export const EXPORTED_BYTES = 32

export function clientOf(dice: Dice): { readonly uuid: string; readonly device: bigint; readonly id: string } {
  const hex = toHex(dice(24))
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  const device = BigInt(`0x${hex.slice(32, 48)}`)
  return { uuid: uuid.join('-'), device, id: `${uuid.join('-')}:${device.toString(16)}@example.org` }
}
