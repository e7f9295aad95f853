import type { Answer } from '../answer.ts'

/** A token bucket: how much one connection may ask for. A value, so that whoever holds it decides where it lives. */
export type Bucket = { readonly level: number; readonly atMs: number }
export type Flow = { readonly burst: number; readonly perSecond: number }

const MAX_WAIT_MS = 24 * 60 * 60 * 1000
const BYTES_PER_UNIT = 16 * 1024
/** What makes a new database, keeps something for days or uses up what others left: until accounts can pay, connections do. */
const MAKING_COST = 20
const MAKING: ReadonlySet<string> = new Set([
  'mailbox.open',
  'channel.open',
  'channel.stash',
  'account.put',
  'invitation.put',
  'log.open',
  'link.put',
  'packages.put',
  'packages.take',
  'name.register',
  'name.ask',
])

/** Where these are all that there is to say, nobody has been at that address: it costs an object all the same. */
const UNKNOWN: ReadonlySet<string> = new Set(['account/unknown', 'channel/unknown', 'log/unknown', 'mailbox/unknown'])
const LOOKING: ReadonlySet<string> = new Set(['account.get', 'link.get', 'packages.count', 'vault.get'])

/** Answers cost too: a client that does not read what it asks for must not fill our memory. */
export function costOf(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_PER_UNIT)
}

export function costOfOperation(operation: string): number {
  return MAKING.has(operation) ? MAKING_COST : 0
}

/** Charged afterwards: what asks at addresses of its own making leaves a file behind at each, where the relay is a machine. */
export function costOfAnswer(operation: string, answer: Answer<object>): number {
  const isNothing =
    'refusal' in answer
      ? UNKNOWN.has(answer.refusal.code)
      : LOOKING.has(operation) && Object.values(answer.reply).every((value) => value === 0 || value === false)
  return isNothing ? MAKING_COST : 0
}

export function fullBucket(flow: Flow, atMs: number): Bucket {
  return { level: flow.burst, atMs }
}

/** Takes `cost`, even below zero. */
export function drain(bucket: Bucket, flow: Flow, cost: number, atMs: number): Bucket {
  const elapsedMs = Math.max(0, atMs - bucket.atMs)
  return { level: Math.min(flow.burst, bucket.level + (elapsedMs * flow.perSecond) / 1000) - cost, atMs }
}

/** @returns 0 when the bucket holds enough, else how long until it does */
export function waitMsOf(bucket: Bucket, flow: Flow): number {
  return bucket.level >= 0 ? 0 : Math.min(MAX_WAIT_MS, Math.ceil((-bucket.level * 1000) / flow.perSecond))
}
