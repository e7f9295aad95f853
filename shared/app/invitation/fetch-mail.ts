import { CryptoError, RelayError, StateError, WireError } from '#core/errors.ts'
import { readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { EngineHands } from '../requests.ts'
import { receiveIntroduction } from './receive-introduction.ts'

/** What mail needs of the engine. */
export type MailHands = Pick<EngineHands, 'turn'> & {
  joined(channelId: string): Promise<void>
  woken(label: Uint8Array): void
}

/** Of what an introduction points to (CHN21). */
const REFUSED: ReadonlySet<string> = new Set(['seat/removed', 'seat/refused', 'channel/unknown'])

/** Fetches the mailbox to its end; what is acknowledged is on disk with its effect (I-05), or was not to be trusted. */
export async function fetchMail(deps: Deps, { joined, woken, turn }: MailHands): Promise<void> {
  for (;;) {
    const realm = await readRealm(deps.store)
    if (realm === undefined) return
    const mailbox = { address: realm.mailbox, token: realm.mailboxToken }
    const { items, labels, more } = await deps.relay.call('mailbox.fetch', { ...mailbox, after: realm.mailCursor })
    for (const { n, envelope } of items) {
      if (n <= realm.mailCursor) continue
      const channelId = await receive(deps, turn, envelope)
      if (channelId !== undefined) await joined(channelId)
    }
    const upTo = items.reduce((last, item) => Math.max(last, item.n), realm.mailCursor)
    if (upTo > realm.mailCursor) {
      await deps.store.write([{ put: 'meta', key: 'realm', record: { ...realm, mailCursor: upTo } }])
    }
    for (const label of labels) woken(label) // the wake itself may have got lost
    if (upTo === realm.mailCursor && labels.length === 0) return
    await deps.relay.call('mailbox.ack', { ...mailbox, upTo, labels })
    if (!more) return
  }
}

async function receive(deps: Deps, turn: MailHands['turn'], envelope: Uint8Array): Promise<string | undefined> {
  try {
    return await receiveIntroduction(deps, turn, envelope)
  } catch (error) {
    // Anybody who was given a drop can write here: rubbish is dropped and nothing is told to its sender.
    if (error instanceof CryptoError || error instanceof WireError || error instanceof StateError) return undefined
    if (error instanceof RelayError && REFUSED.has(error.code)) return undefined // its seat is no more, or never was
    throw error
  }
}
