import { toBase64url } from '#core/bytes/base64url.ts'
import { wipe } from '#core/bytes/wipe.ts'
import { UsageError } from '#core/errors.ts'
import { decodeCertificate } from '#core/identity/certificate.ts'
import { signPublished } from '#core/identity/published-packages.ts'
import { DEFAULT_SUITE, handlesOfSecret, MAX_LIFETIME_MS, makeKeyPackage, type SuiteId } from '#core/mls/index.ts'
import { LABEL_BYTES, type WakeLabel } from '#core/wire/ids.ts'
import type { ArgsOf } from '#core/wire/operations.ts'
import { deviceSigner } from '../account/device-signer.ts'
import { dropHandles } from '../account/mls-handles.ts'
import { readAccount, readDevice, readRealm } from '../account/read-account.ts'
import type { Deps } from '../deps.ts'
import type { DeviceRecord, PackageRecord, RealmRecord } from '../ports/records.ts'
import type { Change, Row } from '../ports/store.ts'
import { PUBLISHED, packageSuite } from './package-suites.ts'

const KEY_BYTES = 9
const DAY_MS = 24 * 60 * 60 * 1000
const LAST_RESORT_FOR_MS = 30 * DAY_MS

type Full = (typeof PUBLISHED)[number]

/**
 * Keeps key packages of this device at its account, so that it can be added to channels while it is away (C-02). Their
 * secrets are stored before they leave. What a put replaces at the realm is kept here until its time is over: somebody
 * may have it. Runs in the turn 'realm'.
 */
export async function publishPackages(deps: Deps): Promise<void> {
  const [account, device, realm] = await Promise.all([
    readAccount(deps.store),
    readDevice(deps.store),
    readRealm(deps.store),
  ])
  if (account === undefined || device === undefined || realm === undefined || device.unlisted) return
  const { deviceId } = decodeCertificate(device.certificate)
  const known = await dropExpired(deps)
  for (const full of PUBLISHED) {
    const ofSuite = known.filter(({ record }) => (record.suite ?? DEFAULT_SUITE) === full.suite)
    const about = { account: account.account, device: deviceId, suite: packageSuite(full.suite) }
    await publish(deps, { device, realm, known: ofSuite, about, full })
  }
}

type OfSuite = {
  readonly device: DeviceRecord
  readonly realm: RealmRecord
  readonly known: readonly Row<'packages'>[]
  readonly about: ArgsOf<'packages.count'>
  readonly full: Full
}

async function publish(deps: Deps, { device, realm, known, about, full }: OfSuite): Promise<void> {
  const { left, lastResort } = await deps.relay.call('packages.count', about)
  if (left >= full.low && lastResort && isFresh(deps, known)) return
  const rows = await unpublished(deps, device, known, full)
  const published: { readonly keyPackage: Uint8Array; readonly drop: Uint8Array }[] = []
  for (const { record } of rows) {
    const { keyPackage, label } = record
    published.push({ keyPackage, drop: await dropFor(deps, realm, label) })
  }
  const last = published.pop()
  if (last === undefined) throw new UsageError('packages/none')
  const packages = { ...about, packages: published, lastResort: last }
  const signature = await signPublished(packages, await deviceSigner(deps.handles, device))
  await deps.relay.call('packages.put', { ...packages, signature })
  await deps.store.write(
    rows.map(({ key, record }): Change => ({ put: 'packages', key, record: { ...record, published: true } })),
  )
}

/** A full set, the last resort at its end. What an earlier attempt has made and not left there comes first. */
async function unpublished(
  deps: Deps,
  device: DeviceRecord,
  known: readonly Row<'packages'>[],
  { suite, full }: Full,
): Promise<readonly Row<'packages'>[]> {
  const waiting = known.filter(({ record }) => !record.published)
  const once = waiting.filter(({ record }) => !record.lastResort).slice(0, full)
  const last = waiting.find(({ record }) => record.lastResort)
  const made: Row<'packages'>[] = []
  while (once.length + made.length < full) made.push(await makeRow(deps, device, suite, false))
  const resort = last ?? (await makeRow(deps, device, suite, true))
  if (last === undefined) made.push(resort)
  await deps.store.write(made.map(({ key, record }): Change => ({ put: 'packages', key, record })))
  return [...once, ...made.filter((row) => row !== resort), resort]
}

async function makeRow(
  deps: Deps,
  device: DeviceRecord,
  suite: SuiteId,
  lastResort: boolean,
): Promise<Row<'packages'>> {
  return { key: toBase64url(deps.dice(KEY_BYTES)), record: await makePackage(deps, device, suite, lastResort) }
}

/** One that was used is replaced at once, and each of them every month (MLS10). */
function isFresh({ clock }: Pick<Deps, 'clock'>, known: readonly Row<'packages'>[]): boolean {
  const atMs = Math.max(0, ...known.map(({ record }) => (record.lastResort && record.published ? record.madeAtMs : 0)))
  const newest = known.find(({ record }) => record.lastResort && record.madeAtMs === atMs)?.record
  return newest !== undefined && newest.used === undefined && clock.now() < atMs + LAST_RESORT_FOR_MS
}

async function dropExpired(deps: Deps): Promise<readonly Row<'packages'>[]> {
  const rows = await deps.store.list('packages')
  const gone = rows.filter(({ record }) => record.notAfterMs < deps.clock.now())
  if (gone.length === 0) return rows
  const handles = gone.flatMap(({ record }) => handlesOfSecret(record.secret))
  await deps.store.write(gone.map(({ key }): Change => ({ delete: 'packages', key })))
  await dropHandles(deps.handles, handles)
  wipe(...gone.map(({ record }) => record.secret))
  return rows.filter((row) => !gone.includes(row))
}

async function makePackage(
  deps: Deps,
  device: DeviceRecord,
  suite: SuiteId,
  lastResort: boolean,
): Promise<PackageRecord> {
  const { ring, ...keyless } = await deviceSigner(deps.handles, device)
  // A handle goes when its device has committed in the one group that it was for; a last resort may be for several (MLS19).
  const signer = lastResort || ring === undefined ? keyless : { ...keyless, ring }
  const nowMs = deps.clock.now()
  const { certificate } = device
  const input = { suite, signer, certificate, nowMs, lifetimeMs: MAX_LIFETIME_MS, lastResort }
  const { keyPackage, ref, secret } = await makeKeyPackage(input, deps.dice)
  return {
    ref,
    keyPackage,
    secret,
    label: deps.dice(LABEL_BYTES) as WakeLabel,
    madeAtMs: nowMs,
    notAfterMs: nowMs + MAX_LIFETIME_MS,
    ...(suite === DEFAULT_SUITE ? {} : { suite }),
    ...(lastResort ? { lastResort } : {}),
  }
}

async function dropFor({ relay }: Deps, realm: RealmRecord, label: WakeLabel): Promise<Uint8Array> {
  const { drop } = await relay.call('mailbox.drop', { address: realm.mailbox, token: realm.mailboxToken, label })
  return drop
}
