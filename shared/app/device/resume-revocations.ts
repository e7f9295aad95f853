import { toBase64url } from '#core/bytes/base64url.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { StateError } from '#core/errors.ts'
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
 * is not undone by being done again, so that a crash anywhere is made good.
 */
export async function resumeRevocations(deps: Deps, hands: Hands): Promise<void> {
  let isLeft = false
  for (const { key, record } of await deps.store.list('tasks')) {
    let task = record
    if (task.step === 'manifest') task = await hands.turn('realm', () => leaveOut(deps, task))
    if (task.step === 'keys') task = await hands.turn('realm', () => rotate(deps, task))
    task = await endInChannels(deps, hands, task)
    hands.logNoted({ books: true }) // the account's other devices hear of the channels' new tokens
    if (task.channels.length > 0) isLeft = true
    else await hands.turn('realm', () => finish(deps, String(key), task))
  }
  if (isLeft) throw new StateError('devices/channels-left') // tried again later
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

/** Each on its own: what one channel's relay refuses holds up none of the others. */
async function endInChannels(deps: Deps, hands: Hands, before: TaskRecord): Promise<TaskRecord> {
  let task = before
  for (const channelId of before.channels) {
    const ended = await hands.turn(channelId, () => endSeats(deps, channelId, task.deviceId))
    hands.kick(channelId) // the leaf goes with the next commit
    if (!ended) continue
    task = await save(deps, { ...task, channels: task.channels.filter((one) => one !== channelId) })
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
