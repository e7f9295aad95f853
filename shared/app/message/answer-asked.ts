import { toUtf8 } from '#core/bytes/utf8.ts'
import { type AgainBody, MAX_AGAIN_LINES } from '#core/message/body.ts'
import { MAX_TEXT_BYTES } from '#core/wire/limits.ts'
import { isLarge } from '../channel/large.ts'
import type { Loaded } from '../channel/loaded.ts'
import type { Deps } from '../deps.ts'
import { Draft } from '../draft.ts'
import { newestLines } from '../log/history.ts'
import type { Asked } from '../ports/records.ts'
import { queueBodies } from './queue-bodies.ts'

const PAGE = 256
/** Of one stretch, newest first: more of it would be a history, which nobody has asked for. */
const MAX_LINES = 1024

type Again = AgainBody['lines'][number]

/**
 * Sends again what this account said in stretches that others could not open (SEAM2), and that this was all. A device whose
 * own history is not whole yet leaves that to others, or to later.
 */
export async function answerAsked(deps: Deps, loaded: Loaded): Promise<Loaded> {
  const now = deps.clock.now()
  const due = (loaded.sync.asked ?? []).filter(({ notBeforeMs }) => notBeforeMs <= now)
  if (due.length === 0 || (await deps.store.get('meta', 'restore')) !== undefined) return loaded
  const draft = new Draft(deps.store)
  for (const asked of due) {
    const batches = inBatches(await ownLines(deps, loaded.id, asked, now))
    const again = batches.map((lines) => ({ kind: 'again', ask: asked.ask, lines }) as const)
    if (again.length === 0 && isLarge(loaded.sync)) continue // SEAM5
    await queueBodies(deps, draft, loaded.id, [...again, { kind: 'answered', ask: asked.ask }])
  }
  const sync = { ...loaded.sync, asked: (loaded.sync.asked ?? []).filter((one) => !due.includes(one)) }
  draft.put('syncs', loaded.id, sync)
  await draft.commit()
  return { ...loaded, sync }
}

async function ownLines(
  { store }: Deps,
  channelId: string,
  { after, upTo }: Asked,
  nowMs: number,
): Promise<readonly Again[]> {
  const found: Again[] = []
  for (let before = upTo; found.length < MAX_LINES; ) {
    const page = await newestLines(store, channelId, { before, limit: PAGE })
    for (const { order, line } of page) {
      if (order <= after || line.kind !== 'text' || !line.mine) continue
      const { messageId: id, atMs, text, vanishesAtMs } = line
      const left = vanishesAtMs === undefined ? {} : { leftMs: Math.max(0, vanishesAtMs - nowMs) }
      found.unshift({ id, atMs, order: Math.floor(order), text, ...left })
    }
    const oldest = page.at(-1)?.order ?? after
    if (page.length < PAGE || oldest <= after) break
    before = oldest
  }
  return found
}

/** As much text in each body as one may have (MSG4). */
function inBatches(lines: readonly Again[]): Again[][] {
  const batches: Again[][] = []
  let length = 0
  for (const line of lines) {
    const bytes = toUtf8(line.text).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_AGAIN_LINES || length + bytes > MAX_TEXT_BYTES) {
      batches.push([line])
      length = bytes
    } else {
      last.push(line)
      length += bytes
    }
  }
  return batches
}
