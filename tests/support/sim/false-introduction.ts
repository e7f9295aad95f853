import { deviceSigner } from '#app/account/device-signer.ts'
import { equalBytes } from '#core/bytes/equal.ts'
import { sealHpke } from '#core/crypto/hpke.ts'
import { labels } from '#core/crypto/labels.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { encodeIntroduction } from '#core/message/introduction.ts'
import { withManifest } from '#core/message/roster.ts'
import { createGroup, DEFAULT_SUITE, members, stageCommit } from '#core/mls/index.ts'
import { pad } from '#core/padding/padding.ts'
import { ENVELOPE_OVERHEAD_BYTES, encodeEnvelope } from '#core/wire/envelope.ts'
import type { Address, EntryId, SeatId, Token } from '#core/wire/ids.ts'
import { NOWHERE, Person } from '../relay/person.ts'
import type { SimDevice } from './sim-device.ts'
import type { World } from './world.ts'

const ENC_AND_TAG_BYTES = 32 + 16

type Place = { readonly seat: SeatId; readonly token: Token }

/**
 * What anybody can send who knows an account: into a group of their own, which they say is at that address. Who is brought in gets no
 * token of an entry there.
 */
export async function introduceFalsely(
  world: World,
  by: SimDevice,
  to: SimDevice,
  address: Address,
  place?: Place,
): Promise<void> {
  const { dice } = world.random
  const [account, device, target] = [await accountOf(by), await deviceOf(by), await accountOf(to)]
  const seats = { own: dice(16) as SeatId, entry: dice(16) as EntryId, theirEntry: dice(16) as EntryId }
  const { seat, token } = place ?? { seat: dice(16) as SeatId, token: dice(32) as Token }
  const stranger = world.relay.connect(() => {})
  const { devices } = await stranger.call('packages.take', { account: target.account })
  const [offered] = devices
  if (offered === undefined) throw new Error(`${to.name} has left nothing`)
  const group = await createGroup(
    {
      suite: DEFAULT_SUITE,
      groupId: dice(32),
      signer: await deviceSigner(by.handles, device),
      certificate: device.certificate,
      kind: 'group',
      roles: [{ account: account.account, role: 'owner' }],
      manifests: [{ account: account.account, sequence: account.sequence }],
      profile: { title: 'Walks' },
      nowMs: world.timeline.nowMs,
    },
    dice,
  )
  const data = { timeMs: world.timeline.nowMs, seatsHash: new Uint8Array(32), manifests: [target.manifest] }
  const adding = { adds: [offered.keyPackage], removes: [], authenticatedData: data }
  const { next, welcomes, tree } = await stageCommit(group, adding, dice)
  const [welcome] = welcomes
  if (welcome === undefined) throw new Error('unreachable')
  const introduction = encodeIntroduction({
    keyPackage: welcome.keyPackageRef,
    name: by.name,
    manifest: account.manifest,
    welcome: welcome.welcome,
    tree,
    ...{ address, seat, token },
    kind: 'group',
    title: 'Walks',
    commits: 1,
    entry: { id: seats.theirEntry },
    seats: members(next).map(({ leaf, account: one }) =>
      equalBytes(one, target.account)
        ? { leaf, seat, entry: seats.theirEntry, moderator: false }
        : { leaf, seat: seats.own, entry: seats.entry, moderator: true },
    ),
    accounts: [
      withManifest(
        { account: account.account, entry: seats.entry, sequence: 0 },
        await checkManifest(account.manifest),
      ),
      withManifest(
        { account: target.account, entry: seats.theirEntry, sequence: 0 },
        await checkManifest(target.manifest),
      ),
    ],
  })
  const padded = pad(introduction, ENVELOPE_OVERHEAD_BYTES + ENC_AND_TAG_BYTES)
  const body = await sealHpke((await deviceOf(to)).hpkeKey, labels.welcome, new Uint8Array(), padded)
  const elsewhere = dice(32) as Address
  const person = await new Person(stranger, world.random.u32()).arrive()
  await person.open(elsewhere)
  const envelope = encodeEnvelope({ to: NOWHERE, body })
  await person.commit(elsewhere, { welcomes: [{ drop: offered.drop, envelope }] })
}

async function accountOf(device: SimDevice) {
  const record = await device.store().get('meta', 'account')
  if (record?.kind !== 'account') throw new Error(`${device.name} has no account`)
  return record
}

async function deviceOf(device: SimDevice) {
  const record = await device.store().get('meta', 'device')
  if (record?.kind !== 'device') throw new Error(`${device.name} has no device`)
  return record
}
