import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { RelayError, StateError } from '#core/errors.ts'
import type { DeviceId } from '#core/wire/ids.ts'
import { changeManifest } from '../account/change-manifest.ts'
import { settleVault } from '../account/settle-vault.ts'
import type { Deps } from '../deps.ts'
import { publishInvitations } from '../invitation/publish-invitations.ts'
import type { TaskRecord } from '../ports/records.ts'
import type { EngineHands } from '../requests.ts'
import { closeMailbox } from './close-mailbox.ts'
import { endSeats } from './end-seats.ts'

type Hands = Pick<EngineHands, 'turn' | 'kick' | 'logNoted'>

/**
 * Goes on with revocations (K-07), in an order in which each step makes the next one safe: the manifest no longer lists the
 * device; the key ring has a generation that it can't open, and the log a token that it hasn't; the channels' entries have
 * tokens that it hasn't and its seats are dead; open invitations are withdrawn and its mailbox is shut. A step that was done
 * is not undone by being done again, so that a crash anywhere is made good. All devices are out of the account before any
 * one's places are ended, which may take long.
 */
export async function resumeRevocations(deps: Deps, hands: Hands): Promise<void> {
  const tasks: { readonly key: string; readonly task: TaskRecord }[] = []
  for (const { key, record } of await deps.store.list('tasks')) {
    let task = record
    if (task.step === 'manifest') task = await hands.turn('realm', () => leaveOut(deps, task))
    if (task.step === 'keys') task = await hands.turn('realm', () => rotate(deps, task))
    tasks.push({ key: String(key), task })
  }
  const refusals: RelayError[] = []
  let isLeft = false
  for (const { key, task } of tasks) {
    const left = await endInChannels(deps, hands, task, refusals)
    hands.logNoted({ books: true }) // the account's other devices hear of the channels' new tokens
    if (left.channels.length > 0) isLeft = true
    else await onItsOwn(refusals, () => hands.turn('realm', () => finish(deps, key, left)))
  }
  const [first] = refusals
  if (first !== undefined) throw first
  if (isLeft) throw new StateError('devices/channels-left') // tried again later
}

/** What the relay refuses of one channel or device holds up none of the others. */
async function onItsOwn(refusals: RelayError[], step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    refusals.push(error)
  }
}

async function leaveOut(deps: Deps, task: TaskRecord): Promise<TaskRecord> {
  await changeManifest(deps, async (now) => {
    const devices = now.devices.filter(({ certificate }) => !equalBytes(certificate.deviceId, task.deviceId))
    return devices.length === now.devices.length ? undefined : { ...now, devices }
  })
  return save(deps, { ...task, step: 'keys' })
}

async function rotate(deps: Deps, task: TaskRecord): Promise<TaskRecord> {
  await settleVault(deps, task.from)
  const channels = (await deps.store.list('channels')).flatMap(({ key, record }) =>
    record.address === undefined || record.kind === 'notes' ? [] : [String(key)],
  )
  return save(deps, { ...task, step: 'channels', channels })
}

async function endInChannels(
  deps: Deps,
  hands: Hands,
  before: TaskRecord,
  refusals: RelayError[],
): Promise<TaskRecord> {
  let task = before
  for (const channelId of before.channels) {
    await onItsOwn(refusals, async () => {
      const ended = await hands.turn(channelId, () => endSeats(deps, channelId, task.deviceId))
      hands.kick(channelId) // the leaf goes with the next commit
      if (!ended) return
      task = await save(deps, { ...task, channels: task.channels.filter((one) => one !== channelId) })
    })
  }
  return task
}

async function finish(deps: Deps, key: string, { deviceId }: TaskRecord): Promise<void> {
  for (const { key: invitation, record } of await deps.store.list('invitations')) {
    if (record.state !== 'open') continue
    await deps.store.write([{ put: 'invitations', key: invitation, record: { ...record, state: 'revoked' } }])
  }
  await publishInvitations(deps)
  await closeMailbox(deps, deviceId)
  await deps.store.write([{ delete: 'tasks', key }])
  deps.changes.announce({ what: 'devices' })
  deps.changes.announce({ what: 'invitations' })
}

async function save(deps: Deps, record: TaskRecord): Promise<TaskRecord> {
  await deps.store.write([{ put: 'tasks', key: taskKey(record.deviceId), record }])
  deps.changes.announce({ what: 'devices' })
  return record
}

function taskKey(deviceId: DeviceId): string {
  return toBase64url(deviceId)
}
