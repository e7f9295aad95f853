import { sealHpke } from '#core/crypto/hpke.ts'
import { labels } from '#core/crypto/labels.ts'
import { encodeIntroduction } from '#core/message/introduction.ts'
import type { Shared, StashKey } from '#core/message/stashed.ts'
import { pad } from '#core/padding/padding.ts'
import { ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '#core/wire/envelope.ts'
import { ADDRESS_BYTES, type Address } from '#core/wire/ids.ts'
import type { AccountRecord } from '../ports/records.ts'
import type { Loaded } from './loaded.ts'
import type { Newcomer } from './newcomers.ts'

const ENC_AND_TAG_BYTES = 32 + 16
/** Mail names no channel: what lies in a mailbox must not tie it to one (T-06). */
export const MAIL_ADDRESS = new Uint8Array(ADDRESS_BYTES) as Address

type About = {
  readonly loaded: Loaded
  readonly account: AccountRecord
  readonly shared: Shared // the roster as it will be
  readonly stash?: StashKey // where that is, when it is too much for each
}

const NOTHING: Shared = { tree: new Uint8Array(), seats: [], accounts: [], names: [] }

/** The envelope that brings a new member in, sealed to its device's key (RFC 9180). */
export async function introduce(
  { loaded, account, shared, stash }: About,
  newcomer: Newcomer,
  welcome: Uint8Array,
): Promise<Uint8Array> {
  const kind = loaded.channel.kind === 'direct' ? 'direct' : 'group'
  const introduction = encodeIntroduction({
    ...newcomer.answers,
    name: account.name,
    manifest: account.manifest,
    welcome,
    address: loaded.sync.address,
    seat: newcomer.seat.id,
    token: newcomer.token,
    kind,
    title: kind === 'group' ? loaded.channel.title : '',
    commits: loaded.sync.commits + 1,
    entry: newcomer.entry,
    ...(stash === undefined ? shared : { ...NOTHING, stash }),
  })
  const padded = pad(introduction, ENVELOPE_OVERHEAD_BYTES + ENC_AND_TAG_BYTES)
  const body = await sealHpke(newcomer.hpkeKey, labels.welcome, new Uint8Array(), padded)
  return encodeEnvelope({ to: MAIL_ADDRESS, body })
}
