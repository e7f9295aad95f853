import { sha256 } from '#core/crypto/hash.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import {
  appended,
  consistencyPath,
  inclusionPath,
  manifestLeaf,
  type Nodes,
  rootOf,
  signHead,
} from '#core/identity/merkle.ts'
import type { AccountId } from '#core/wire/ids.ts'
import type { ArgsOf, OperationName } from '#core/wire/operations.ts'

type Leaf = { readonly account: AccountId; readonly sequence: number; readonly hash: Uint8Array }
type Signed = { readonly size: number; readonly root: Uint8Array; readonly signature: Uint8Array }
export type Lie = (operation: OperationName, args: unknown) => object | undefined
/** A simulated device, as far as its relay's answers go. */
type Forgeable = { forge?: Lie | undefined }

/** A realm's log of manifests, kept by the test: honest by itself, and forked or cut back by whoever holds it. */
export class ManifestLog {
  readonly leaves: Leaf[] = []
  readonly #nodes = new Map<string, Uint8Array>()
  readonly #signed = new Map<number, Promise<Signed>>()
  /** The operations about it answer with nothing known of what came after. */
  size = Number.POSITIVE_INFINITY

  readonly listSeed: Uint8Array

  /** `listSeed`: of the key by which it signs its heads, as the realm that it stands for has it. */
  constructor(listSeed: Uint8Array) {
    this.listSeed = listSeed
  }

  append(account: AccountId, sequence: number, manifest: Uint8Array): void {
    const hash = sha256(manifest)
    if (this.leaves.some((leaf) => leaf.sequence === sequence && isSame(leaf.hash, hash))) return
    const leaf = manifestLeaf(account, sequence, hash)
    for (const node of appended(this.leaves.length, leaf, this.#at)) this.#nodes.set(name(node), node.hash)
    this.leaves.push({ account, sequence, hash })
  }

  /** Two logs from here on. */
  fork(): ManifestLog {
    const other = new ManifestLog(this.listSeed)
    other.leaves.push(...this.leaves)
    for (const [key, hash] of this.#nodes) other.#nodes.set(key, hash)
    return other
  }

  get head(): { readonly size: number; readonly root: Uint8Array } {
    const size = Math.min(this.size, this.leaves.length)
    return { size, root: rootOf(size, this.#at) }
  }

  /** The newest head, signed once for each size as the realm does; or by somebody else's key. */
  signed(listSeed = this.listSeed): Promise<Signed> {
    const { head } = this
    const sign = async (): Promise<Signed> => ({
      ...head,
      signature: await signHead(head, await signingKeyFromSeed(listSeed)),
    })
    if (listSeed !== this.listSeed) return sign()
    const signed = this.#signed.get(head.size) ?? sign()
    this.#signed.set(head.size, signed)
    return signed
  }

  /** What a realm with this log says to a device, less what `lie` says; what the realm takes goes into the log. */
  serve(device: Forgeable, lie: Lie = () => undefined): void {
    device.forge = (operation, args) => lie(operation, args) ?? this.answer(operation, args)
  }

  answer(operation: OperationName, args: unknown): object | undefined {
    switch (operation) {
      case 'account.put': {
        const { manifest } = args as ArgsOf<'account.put'>
        this.append(accountIn(manifest), sequenceIn(manifest), manifest)
        return undefined
      }
      case 'transparency.head':
        return this.signed()
      case 'transparency.growth': {
        const { from, to } = args as ArgsOf<'transparency.growth'>
        return { path: consistencyPath(from, to, this.#at) }
      }
      case 'transparency.leaf': {
        const { account, sequence, size } = args as ArgsOf<'transparency.leaf'>
        const index = this.leaves.findIndex((leaf) => leaf.sequence === sequence && isSame(leaf.account, account))
        if (index < 0 || index >= size) return { path: [] }
        return { index, path: inclusionPath(index, size, this.#at) }
      }
      case 'transparency.account': {
        const { account, after } = args as ArgsOf<'transparency.account'>
        const leaves = this.leaves
          .map(({ sequence, hash, account: of }, index) => ({ index, sequence, hash, of }))
          .filter(({ index, of }) => index >= after && isSame(of, account))
          .map(({ of: _, ...leaf }) => leaf)
        return { leaves, more: false }
      }
      default:
        return undefined
    }
  }

  readonly #at: Nodes = (level, index) => {
    const hash = this.#nodes.get(name({ level, index }))
    if (hash === undefined) throw new Error(`no node ${level} ${index}`)
    return hash
  }
}

function name({ level, index }: { readonly level: number; readonly index: number }): string {
  return `${level} ${index}`
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function accountIn(manifest: Uint8Array): AccountId {
  return manifest.slice(1, 33) as AccountId
}

function sequenceIn(manifest: Uint8Array): number {
  return new DataView(manifest.buffer, manifest.byteOffset).getUint32(33)
}
