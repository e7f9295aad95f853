import type { Line } from '#app/face.ts'
import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { toHex } from '#core/bytes/hex.ts'
import { members } from '#core/mls/index.ts'
import type { Stormed } from './channel-storm.ts'
import { groupIn, type Person } from './company.ts'
import { groupOf } from './forged-commit.ts'
import { viewOf } from './one-view.ts'
import type { SimDevice } from './sim-device.ts'

type Text = Extract<Line, { kind: 'text' }>
/** Orders between which an account was in for sure, and between which it was out for sure. */
type Span = { readonly from: number; readonly to: number }

/** What is wrong with how a storm ended: nothing, where the protocol holds. */
export async function judgeStorm(stormed: Stormed): Promise<string[]> {
  const { people, watch, said, gone, reused } = stormed
  const faults = [...watch.faults]
  const witness = people[0]?.devices[0]
  if (witness === undefined) throw new Error('nobody')
  const group = await groupOf(witness, stormed.channelId)
  const view = await viewOf(witness)
  const shown = textsOf(await witness.lines(stormed.channelId))
  const present = new Set(members(group).map(({ account }) => toBase64url(account)))
  const texts = new Map(said.map((one) => [one.text, one]))
  const forked = new Set(said.filter(({ isForked }) => isForked).map(({ text }) => text))
  const doubled = shown.length - new Set(shown.map(({ text }) => text)).size
  if (doubled > 0) faults.push(`${doubled} messages twice`)
  for (const person of people.filter(({ isHonest }) => isHonest)) {
    const account = fromBase64url(person.id)
    const isIn = members(group).some((member) => equalBytes(member.account, account))
    const spans = spansOf(stormed, toHex(account))
    for (const device of person.devices) {
      const place = `${device.name}${isIn ? '' : ' (out)'}`
      if (gone.has(device)) {
        const { state } = await device.face().account()
        if (state !== 'revoked') faults.push(`${place}: revoked, and ${state}`)
        continue
      }
      if ((await device.face().alarms()).length > 0) faults.push(`${place}: an honest directory named`)
      const id = await groupIn(device)
      if (id === undefined) {
        if (isIn) faults.push(`${place}: has no group`)
        continue
      }
      const channel = await device.store().get('channels', id)
      if (isIn && channel?.state !== 'open') {
        faults.push(`${place}: ${channel?.state} ${channel?.pausedBy} ${channel?.left}`)
        continue
      }
      if (isIn && (await viewOf(device)) !== view) faults.push(`${place}: another view`)
      if (!isIn && channel?.state === 'open' && channel.leaving === undefined) faults.push(`${place}: thinks it is in`)
      const lines = await device.lines(id)
      const own = textsOf(lines)
      const unread = lines.filter(({ kind }) => kind === 'unreadable').map(({ order }) => order)
      const gap = Math.max(
        0,
        ...lines.flatMap((one) => (one.kind === 'notice' && one.notice === 'gap' ? [one.order] : [])),
      )
      const orphaned = shown.filter(({ author, order }) => order < gap && !present.has(author.id))
      const named = new Set([...unread, ...orphaned.map(({ order }) => order)])
      faults.push(...misshown(place, { own, named, shown, forked }, spans))
      if (isIn) faults.push(...(await unsent(place, device, own)))
    }
    faults.push(...(await lost(stormed, person, { shown, forked, isIn })))
  }
  for (const { text } of shown) {
    if (!texts.has(text) && !text.startsWith('I saw it otherwise')) faults.push(`nobody said '${text}'`)
  }
  if (reused.length > 0) faults.push(`reused: ${reused.join(', ')}`)
  return faults
}

function textsOf(lines: readonly Line[]): readonly Text[] {
  return lines.filter((line): line is Text => line.kind === 'text')
}

type Spans = { readonly since: number | undefined; readonly outside: readonly Span[] }

/** `since` when an account was in for good; and between which commits it was out. */
function spansOf({ watch }: Stormed, account: string): Spans {
  const stands = watch.stands()
  const outside: Span[] = []
  let since: number | undefined
  for (const [i, { lastCommit, accounts }] of stands.entries()) {
    const isIn = accounts.includes(account)
    since = isIn ? (since ?? lastCommit) : undefined
    if (isIn) continue
    const next = stands[i + 1]
    // Of what lies between being out and being in again nothing is known: not every commit was seen by itself.
    const staysOut = next === undefined || !next.accounts.includes(account)
    const to = next === undefined ? Number.POSITIVE_INFINITY : staysOut ? next.lastCommit : lastCommit
    outside.push({ from: lastCommit, to })
  }
  return { since, outside }
}

type Shown = {
  readonly own: readonly Text[]
  readonly named: ReadonlySet<number> // places of which a line says that something is missing there
  readonly shown: readonly Text[]
  readonly forked: ReadonlySet<string>
}

/**
 * Everything that was said since the account is in, once, and nothing of what was said while it was out (I-05, I-06). What waited at
 * the relay for a seat that died is gone with it; what did not open and whose author is gone is named (M-09); what was first said in the other story, whoever was in there may have.
 */
function misshown(place: string, { own, named, shown, forked }: Shown, { since, outside }: Spans): string[] {
  const has = new Set(own.map(({ text }) => text))
  const faults: string[] = []
  if (has.size !== own.length) faults.push(`${place}: a message twice`)
  const missing = shown.filter(
    ({ order, text }) => since !== undefined && order > since && !has.has(text) && !named.has(order),
  )
  if (missing.length > 0) faults.push(`${place}: misses ${listed(missing)}`)
  const mine = new Set(own.filter(({ author }) => author.mine).map(({ text }) => text))
  const isOut = (order: number): boolean => outside.some(({ from, to }) => order > from && order <= to)
  // A repair says a message once more (FRK4): whoever was in when it was first said has it from then, in its place of then.
  const places = new Map(own.map(({ text, order }) => [text, order]))
  const leaked = shown.filter(
    ({ order, text }) => isOut(order) && isOut(places.get(text) ?? Number.NaN) && !mine.has(text) && !forked.has(text),
  )
  if (leaked.length > 0) faults.push(`${place}: has ${listed(leaked)}`)
  return faults
}

function listed(texts: readonly Text[]): string {
  return texts.map(({ text, order }) => `${text} @${order}`).join(', ')
}

/** Nothing waits any more, of whoever is in. */
async function unsent(place: string, device: SimDevice, own: readonly Text[]): Promise<string[]> {
  const waiting = own.filter(({ author, state }) => author.mine && state === 'waiting')
  const outbox = await device.store().list('outbox')
  if (waiting.length === 0 && outbox.length === 0) return []
  return [`${place}: ${waiting.length} wait, ${outbox.length} in the outbox`]
}

/** What its author was told is sent, all have; what is not sent, its author knows. */
async function lost(
  { said, gone }: Stormed,
  person: Person,
  { shown, forked, isIn }: Pick<Shown, 'shown' | 'forked'> & { readonly isIn: boolean },
): Promise<string[]> {
  const has = new Set(shown.map(({ text }) => text))
  const faults: string[] = []
  for (const { text, by, device } of said) {
    // Who is out, in the story that was shown in the end, could not say it there once more.
    if (by !== person || gone.has(device) || (!isIn && forked.has(text))) continue
    const id = await groupIn(device)
    const line = id === undefined ? undefined : textsOf(await device.lines(id)).find((one) => one.text === text)
    if (line === undefined) faults.push(`${device.name}: its own '${text}' is gone`)
    else if ((line.state === 'sent' || line.state === 'delivered') && !has.has(text)) {
      faults.push(`${device.name}: '${text}' was ${line.state}, and the first person has not got it`)
    }
  }
  return faults
}
