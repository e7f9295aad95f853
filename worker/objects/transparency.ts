import { DurableObject } from 'cloudflare:workers'
import { consistencyPath, type Head, inclusionPath, rootOf, signHead } from '#core/identity/merkle.ts'
import type { ArgsOf, ReplyOf } from '#core/wire/operations.ts'
import { type Answer, refuse } from '../answer.ts'
import type { Env } from '../env.ts'
import { listKey } from '../secrets.ts'
import { Batch } from '../storage/batch.ts'
import { type Logged, TransparencyRows } from '../transparency/rows.ts'

type SignedHead = ReplyOf<'transparency.head'>

/** The one log of every manifest that the realm took (K-13): it only grows, in one order, and proves that it does. */
export class Transparency extends DurableObject<Env> {
  readonly #batch = new Batch(this.ctx.storage, () => {})
  #newest: SignedHead | undefined

  /** TRL1. What arrives together is one transaction. */
  append(leaves: readonly Logged[]): Promise<void> {
    return this.#batch.run(() => {
      const rows = TransparencyRows.openOrCreate(this.ctx.storage.sql)
      for (const leaf of leaves) rows.append(leaf)
    })
  }

  /** TRL2: signed once for each size. */
  async head(): Promise<Answer<SignedHead>> {
    const head = this.#head()
    if (this.#newest?.size !== head.size) {
      this.#newest = { ...head, signature: await signHead(head, await listKey(this.env)) }
    }
    return { reply: this.#newest }
  }

  leaf({ account, sequence, size }: ArgsOf<'transparency.leaf'>): Answer<ReplyOf<'transparency.leaf'>> {
    const rows = this.#open()
    if (size > (rows?.size ?? 0)) return refuse('transparency/size')
    const index = rows?.indexOf(account, sequence, size)
    if (rows === undefined || index === undefined) return { reply: { path: [] } }
    return { reply: { index, path: inclusionPath(index, size, rows.nodes) } }
  }

  growth({ from, to }: ArgsOf<'transparency.growth'>): Answer<ReplyOf<'transparency.growth'>> {
    const rows = this.#open()
    if (from > to || to > (rows?.size ?? 0)) return refuse('transparency/size')
    return { reply: { path: rows === undefined ? [] : consistencyPath(from, to, rows.nodes) } }
  }

  leavesOf({ account, after }: ArgsOf<'transparency.account'>): Answer<ReplyOf<'transparency.account'>> {
    return { reply: this.#open()?.leavesOf(account, after) ?? { leaves: [], more: false } }
  }

  #open(): TransparencyRows | undefined {
    return TransparencyRows.open(this.ctx.storage.sql)
  }

  #head(): Head {
    const rows = this.#open()
    const size = rows?.size ?? 0
    return { size, root: rootOf(size, rows?.nodes ?? noNodes) }
  }
}

function noNodes(): never {
  throw new RangeError('an empty tree has no nodes')
}
