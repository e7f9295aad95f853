import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deps } from '#app/deps.ts'
import { localFace } from '#app/face/local-face.ts'
import { EngineHost } from '#app/lock/engine-host.ts'
import { openSecret, sealSecret } from '#app/lock/lock-door.ts'
import type { Change } from '#app/ports/changes.ts'
import type { LockRecord } from '#app/ports/lock.ts'
import type { PasskeyAnswer, Passkeys } from '#app/ports/passkey.ts'
import { systemDice } from '#core/crypto/random.ts'
import { InputError, StoreError } from '#core/errors.ts'
import { SealedStore } from '#store/sealed-store.ts'
import { makeAgeSeal } from '#web/age-seal.ts'
import { systemClock } from '#web/clock.ts'
import { makeKeyMemory } from '../../../support/key-memory.ts'
import { MemoryRows, makeMemoryHandles } from '../../../support/memory-rows.ts'

// The cost is stored with the lock: here the least that is taken, since a test waits for it many times.
vi.mock('#core/crypto/argon2id.ts', async (original) => ({
  ...(await original<object>()),
  DEFAULT_COST: { memoryKib: 8 * 1024, passes: 1, lanes: 1 },
}))

const WORDS = 'the words of the lock'
const ID = 'device-signing'

/** The device of one person: an engine that may be locked, and a face on the same disk. */
function makeDevice() {
  const rows = new MemoryRows()
  const handles = makeMemoryHandles()
  const memory = makeKeyMemory()
  const log: string[] = []
  const listeners = new Set<(change: Change) => void>()
  const changes: Deps['changes'] = {
    announce: (change) => {
      for (const listener of listeners) listener(change)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const relay = { start: () => {}, nudge: () => {}, cover: () => {}, stop: () => log.push('relay stopped') }
  const store = new SealedStore(rows, handles, memory)
  const host = new EngineHost({
    store,
    handles,
    relay: relay as unknown as Deps['relay'],
    clock: systemClock,
    dice: systemDice,
    changes,
    notifier: { unread: (total) => log.push(`unread ${total}`), arrived: () => {} },
    defaultOrigin: '',
    joinsAtOnce: false,
  })
  const passkey = makePasskey()
  const face = localFace({
    store: new SealedStore(rows, handles, memory),
    bridge: { request: (name, args) => host.request(name, args) },
    changes,
    clock: systemClock,
    dice: systemDice,
    askPersistence: async () => 'granted',
    isPersistent: async () => true,
    supported: () => true,
    kind: 'web',
    passkeys: passkey,
    archiveSeal: makeAgeSeal(),
  })
  return { rows, handles, memory, log, store, host, face, passkey }
}

/** One passkey, whose secret depends on its salt. */
function makePasskey(): Passkeys & { refuses: boolean } {
  const answer = ({ prfSalt }: { prfSalt: Uint8Array }): PasskeyAnswer => ({
    credentialId: Uint8Array.of(9),
    userHandle: new Uint8Array(),
    prf: prfSalt.map((byte) => byte ^ 0x5a),
  })
  const passkey = {
    refuses: false,
    create: async (input: { prfSalt: Uint8Array }) => answer(input),
    get: async (input: { prfSalt: Uint8Array }) => {
      if (passkey.refuses) throw new InputError('passkey/none')
      return answer(input)
    },
  }
  return passkey
}

describe('the app lock', () => {
  let device: ReturnType<typeof makeDevice>
  beforeEach(async () => {
    device = makeDevice()
    await device.host.start()
    await device.face.createIdentity({ name: 'Ann', deviceName: 'laptop' })
  })

  it('[K-10] locked, nothing can be read and the engine is gone; the words bring both back', async () => {
    const { face, host, store, log, handles } = device
    expect(await face.lock()).toEqual({ state: 'off' })
    await face.setLock({ by: 'passphrase', passphrase: WORDS, afterMinutes: 5 })
    expect(await face.lock()).toEqual({ state: 'unlocked', by: 'passphrase', afterMinutes: 5 })
    expect(await face.account()).toMatchObject({ state: 'ready', name: 'Ann' })
    expect(await handles.names()).not.toContain('storage')

    const told: string[] = []
    face.subscribe((change) => told.push(change.what))
    await face.lockNow()
    expect(told).toEqual(expect.arrayContaining(['lock', 'account']))
    await expect(host.request('createInvitation', null)).rejects.toMatchObject({ code: 'lock/locked' })
    expect(log.filter((line) => line === 'relay stopped')).toHaveLength(1)
    expect(log.at(-1), 'the badge tells of nothing').toBe('unread 0')
    expect(await face.account()).toEqual({ state: 'locked', doors: ['passphrase'] })
    await expect(face.channels().then(() => face.lines('c', { limit: 1 }))).rejects.toMatchObject({
      code: 'store/locked',
    })
    await expect(store.get('meta', 'account')).rejects.toMatchObject({ code: 'store/locked' })

    await expect(face.unlock({ passphrase: 'other words entirely' })).rejects.toMatchObject({ code: 'lock/wrong' })
    await expect(face.unlock({ passphrase: ' ' })).rejects.toMatchObject({ code: 'lock/wrong' })
    await expect(face.unlock('passkey')).rejects.toMatchObject({ code: 'lock/wrong' })
    expect(await face.account()).toMatchObject({ state: 'locked' })
    await face.unlock({ passphrase: WORDS })
    expect(await face.account()).toMatchObject({ state: 'ready', name: 'Ann' })
    expect(await face.revealPhrase()).toHaveLength(24)
  })

  it('[K-10] is opened by a passkey’s secret, and by nothing without it', async () => {
    const { face, passkey } = device
    await face.setLock({ by: 'passkey', afterMinutes: 1 })
    await face.lockNow()
    expect(await face.account()).toEqual({ state: 'locked', doors: ['passkey'] })
    passkey.refuses = true
    await expect(face.unlock('passkey')).rejects.toMatchObject({ code: 'passkey/none' })
    await expect(face.unlock({ passphrase: WORDS })).rejects.toMatchObject({ code: 'lock/wrong' })
    passkey.refuses = false
    await face.unlock('passkey')
    expect(await face.account()).toMatchObject({ state: 'ready' })
    await face.removeLock()
    expect(await face.lock()).toEqual({ state: 'off' })
    expect(await face.account(), 'nothing was locked by it').toMatchObject({ state: 'ready' })
  })

  it('[K-10] an engine that starts on a locked disk waits, and starts when it is opened', async () => {
    const { face, rows, handles } = device
    await face.setLock({ by: 'passkey', afterMinutes: 1 })
    const memory = makeKeyMemory()
    const log: string[] = []
    const store = new SealedStore(rows, handles, memory)
    const host = new EngineHost({
      store,
      handles,
      relay: { cover: () => {}, stop: () => {} } as unknown as Deps['relay'],
      clock: systemClock,
      dice: systemDice,
      changes: { announce: ({ what }) => log.push(what), subscribe: () => () => {} },
      notifier: { unread: () => {}, arrived: () => {} },
      defaultOrigin: '',
      joinsAtOnce: false,
    })
    await host.start()
    await expect(host.request('wake', null)).rejects.toMatchObject({ code: 'lock/locked' })
    const lock = (await store.lock()) as LockRecord
    const prf = lock.door.by === 'passkey' ? lock.door.prfSalt.map((byte) => byte ^ 0x5a) : new Uint8Array()
    await host.request('unlock', { prf })
    expect(await host.request('wake', null)).toEqual({ state: 'idle' })
    expect(log).toEqual(expect.arrayContaining(['account', 'lock']))
  })

  it.each([
    { what: 'says nothing of itself', method: 'probe' },
    { what: 'has no room for the fence', method: 'raiseFence' },
  ] as const)('[U-07] a disk that $what for a moment is asked again by whatever is wanted', async ({ method }) => {
    const { rows, handles } = device
    const store = new SealedStore(rows, handles, makeKeyMemory())
    const asked: string[] = []
    const host = new EngineHost({
      store,
      handles,
      relay: {
        cover: () => {},
        stop: () => asked.push('stop'),
        start: () => asked.push('start'),
        nudge: () => {},
      } as unknown as Deps['relay'],
      clock: systemClock,
      dice: systemDice,
      changes: { announce: () => {}, subscribe: () => () => {} },
      notifier: { unread: () => {}, arrived: () => {} },
      defaultOrigin: '',
      joinsAtOnce: false,
    })
    const good = rows[method].bind(rows)
    rows[method] = (() => Promise.reject(new StoreError('store/full'))) as never
    await host.start()
    await host.request('wake', null)
    rows[method] = good as never
    expect(await host.request('wake', null)).toEqual({ state: 'idle' })
    await store.write([{ put: 'drafts', key: 'c', record: { text: 'it is the writer' } }])
    expect(asked, 'nothing was given up for good').not.toContain('stop')
  })

  it('[K-10] short words and other times are refused before anything changes', async () => {
    const { face } = device
    await expect(face.setLock({ by: 'passphrase', passphrase: 'short', afterMinutes: 5 })).rejects.toMatchObject({
      code: 'passphrase/short',
    })
    await expect(face.setLock({ by: 'passphrase', passphrase: WORDS, afterMinutes: 7 })).rejects.toMatchObject({
      code: 'lock/minutes',
    })
    expect(await face.lock()).toEqual({ state: 'off' })
  })

  it('[K-04] no copy of the disk holds the secret or the words in the clear', async () => {
    const { face, rows } = device
    await face.setLock({ by: 'passphrase', passphrase: WORDS, afterMinutes: 5 })
    const keys = await rows.range('keys', {})
    const disk = Buffer.concat(keys.map((row) => row.value))
    expect(keys.map((row) => row.key)).toContain('lock')
    expect(disk.includes(WORDS)).toBe(false)
    expect(await device.handles.names()).toEqual(expect.not.arrayContaining(['storage']))
    expect(await device.handles.names()).toContain(ID)
  })
})

describe('the secret of a lock', () => {
  const id = new Uint8Array(16).fill(1)
  const secret = new Uint8Array(32).fill(7)
  const door = { by: 'passphrase', salt: new Uint8Array(16), memoryKib: 8192, passes: 1, lanes: 1 } as const

  it('[K-10] opens by the same words however they are composed, and is bound to its lock', async () => {
    const sealed = await sealSecret({ id, door }, { passphrase: 'caf\u00e9 con leche' }, secret, systemDice)
    const record = { id, door, sealed, afterMinutes: 5 }
    expect(await openSecret(record, { passphrase: ' cafe\u0301 con leche ' })).toEqual(secret)
    await expect(
      openSecret({ ...record, id: new Uint8Array(16) }, { passphrase: 'caf\u00e9 con leche' }),
    ).rejects.toMatchObject({ code: 'lock/wrong' })
    await expect(
      openSecret({ ...record, door: { ...door, salt: new Uint8Array(16).fill(1) } }, { passphrase: 'café con leche' }),
    ).rejects.toMatchObject({ code: 'lock/wrong' })
  })
})
