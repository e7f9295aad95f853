import { fromBase64url, toBase64url } from '../bytes/base64url.ts'
import { InputError, UsageError } from '../errors.ts'
import { INVITATION_BYTES, type InvitationId } from '../wire/ids.ts'
import { originOf } from './origin.ts'

/**
 * Invitation link (docs/spec/invitation.md, C-12):
 *
 *   https://host[:port]/i#<version>.<realm key>.<id>.<secret>
 *
 * The last three are base64url of 32, 16 and 32 bytes. All but the origin is in the fragment, which browsers do not send.
 */
export type InvitationLink = {
  readonly origin: string
  readonly realmKey: Uint8Array
  readonly id: InvitationId
  readonly secret: Uint8Array
}

const VERSION = '1'
const REALM_KEY_BYTES = 32
const SECRET_BYTES = 32

/** Zero-width and other invisible characters that messengers and word processors put into what they show. */
const INVISIBLE = /\p{Cf}/gu
const PATH = /\/i\/?#/i
/** At the end of what stands before the path. Without a scheme the host must begin a word. */
const ORIGIN = /(?:(https?):\/\/|(?<=^|[\s<>"'(]))([^\s<>"'()@#?/\\]+)$/i
const MAX_ORIGIN_UNITS = 300
const FRAGMENT = /^[\w.-]*/

export function encodeInvitationLink({ origin, realmKey, id, secret }: InvitationLink): string {
  if (originOf(origin) !== origin) throw new UsageError('invitation/origin')
  const fields = [realmKey, id, secret].map(toBase64url)
  return `${origin}/i#${[VERSION, ...fields].join('.')}`
}

/**
 * Finds the link in what somebody pasted: with text, brackets or white space around it, or without its scheme.
 * @throws InputError 'invitation/not-a-link', 'invitation/truncated' or 'invitation/version'
 */
export function readInvitationLink(text: string): InvitationLink {
  const visible = text.replaceAll(INVISIBLE, '')
  const path = PATH.exec(visible)
  if (path === null) throw new InputError('invitation/not-a-link')
  const before = ORIGIN.exec(visible.slice(Math.max(0, path.index - MAX_ORIGIN_UNITS), path.index))
  const origin = before?.[2] === undefined ? undefined : originOf(before[2], before[1])
  if (origin === undefined) throw new InputError('invitation/not-a-link')
  const fragment = FRAGMENT.exec(visible.slice(path.index + path[0].length))?.[0] ?? ''
  return { origin, ...readFragment(fragment.replace(/\.+$/, '')) } // a full stop ends the sentence, not the link
}

function readFragment(fragment: string): Omit<InvitationLink, 'origin'> {
  const [version = '', realmKey, id, secret, ...more] = fragment.split('.')
  if (version === '') throw new InputError('invitation/truncated')
  if (!/^\d{1,3}$/.test(version)) throw new InputError('invitation/not-a-link')
  if (version !== VERSION) throw new InputError('invitation/version')
  if (more.length > 0) throw new InputError('invitation/not-a-link')
  return {
    realmKey: field(realmKey, REALM_KEY_BYTES),
    id: field(id, INVITATION_BYTES) as InvitationId,
    secret: field(secret, SECRET_BYTES),
  }
}

function field(text: string | undefined, length: number): Uint8Array {
  const units = Math.ceil((length * 4) / 3)
  if (text === undefined || text.length < units) throw new InputError('invitation/truncated')
  try {
    if (text.length === units) return fromBase64url(text)
  } catch (cause) {
    throw new InputError('invitation/not-a-link', {}, { cause })
  }
  throw new InputError('invitation/not-a-link')
}
