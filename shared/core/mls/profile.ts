import { equalBytes } from '../bytes/equal.ts'
import { Reader } from '../bytes/reader.ts'
import { fromUtf8, toUtf8 } from '../bytes/utf8.ts'
import { Writer } from '../bytes/writer.ts'
import { WireError } from '../errors.ts'

/**
 * A channel's profile (C-13, MLS23 in docs/spec/mls.md): in the group's own state, so that all members have the same one
 * and the relay has none. Encoded by its fields in this order:
 *
 *    4B + nB  title, UTF-8     4B + nB  topic, UTF-8     4B + nB  picture, or empty     8B  timer, ms, 0 for none
 */
export type Profile = {
  readonly title: string
  readonly topic: string
  readonly avatar: Uint8Array // PNG, WebP or JPEG
  readonly timerMs: number
}
export type ProfileChange = Partial<Profile>

export const EMPTY_PROFILE: Profile = { title: '', topic: '', avatar: new Uint8Array(), timerMs: 0 }
export const MAX_TITLE_UNITS = 64
export const MAX_TOPIC_UNITS = 512
export const MAX_AVATAR_BYTES = 16 * 1024
const MAX_TIMER_MS = 366 * 24 * 60 * 60 * 1000
/** A UTF-16 unit is at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3
export const MAX_PROFILE_BYTES = 1 + 3 * 4 + BYTES_PER_UNIT * (MAX_TITLE_UNITS + MAX_TOPIC_UNITS) + MAX_AVATAR_BYTES + 8

export function isEmptyProfile({ title, topic, avatar, timerMs }: Profile): boolean {
  return title === '' && topic === '' && avatar.length === 0 && timerMs === 0
}

export function sameProfile(a: Profile, b: Profile): boolean {
  const isSame = a.title === b.title && a.topic === b.topic && a.timerMs === b.timerMs
  return isSame && equalBytes(a.avatar, b.avatar)
}

export function writeProfile(w: Writer, { title, topic, avatar, timerMs }: Profile): Writer {
  return w.block(toUtf8(title)).block(toUtf8(topic)).block(avatar).u64(timerMs)
}

/** @throws WireError 'profile/<field>' */
export function readProfile(r: Reader): Profile {
  const title = readText(r, MAX_TITLE_UNITS, 'profile/title')
  const topic = readText(r, MAX_TOPIC_UNITS, 'profile/topic')
  return { title, topic, avatar: readAvatar(r), timerMs: readTimer(r) }
}

const FIELDS = ['title', 'topic', 'avatar', 'timerMs'] as const

/** 1B which fields it has (title 1, topic 2, picture 4, timer 8), then those. */
export function writeProfileChange(w: Writer, change: ProfileChange): Writer {
  w.u8(FIELDS.reduce((bits, field, i) => bits | (change[field] === undefined ? 0 : 1 << i), 0))
  if (change.title !== undefined) w.block(toUtf8(change.title))
  if (change.topic !== undefined) w.block(toUtf8(change.topic))
  if (change.avatar !== undefined) w.block(change.avatar)
  if (change.timerMs !== undefined) w.u64(change.timerMs)
  return w
}

/** @throws WireError 'profile/<field>' */
export function readProfileChange(r: Reader): ProfileChange {
  const bits = r.u8()
  if (bits === 0 || bits >= 1 << FIELDS.length) throw new WireError('profile/fields')
  return {
    ...(bits & 1 ? { title: readText(r, MAX_TITLE_UNITS, 'profile/title') } : {}),
    ...(bits & 2 ? { topic: readText(r, MAX_TOPIC_UNITS, 'profile/topic') } : {}),
    ...(bits & 4 ? { avatar: readAvatar(r) } : {}),
    ...(bits & 8 ? { timerMs: readTimer(r) } : {}),
  }
}

/** @throws WireError 'profile/<field>' */
export function checkProfileChange(change: ProfileChange): void {
  const bytes = writeProfileChange(new Writer(), change).done()
  const r = new Reader(bytes, MAX_PROFILE_BYTES)
  readProfileChange(r)
  r.end()
}

const PICTURES: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47], // PNG
  [0xff, 0xd8, 0xff], // JPEG
  [0x52, 0x49, 0x46, 0x46], // WebP
]

function readAvatar(r: Reader): Uint8Array {
  const avatar = r.block(MAX_AVATAR_BYTES)
  const isPicture = PICTURES.some((magic) => magic.every((byte, i) => avatar[i] === byte))
  if (avatar.length > 0 && !isPicture) throw new WireError('profile/avatar')
  return avatar
}

function readTimer(r: Reader): number {
  const timerMs = r.u64()
  if (timerMs > MAX_TIMER_MS) throw new WireError('profile/timer')
  return timerMs
}

function readText(r: Reader, maxUnits: number, code: `profile/${string}`): string {
  const text = fromUtf8(r.block(maxUnits * BYTES_PER_UNIT))
  if (text.length > maxUnits) throw new WireError(code)
  return text
}
