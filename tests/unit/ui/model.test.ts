import { describe, expect, it, vi } from 'vitest'
import { InputError, StoreError } from '#core/errors.ts'
import { createModel } from '#ui/state/model.ts'
import { createMemoryRouter } from '#ui/state/router.ts'
import type { Shell } from '#ui/state/shell.ts'
import { MemoryFace } from '../../support/memory-face.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

async function started(more: Partial<Shell> = {}, face = new MemoryFace()) {
  const shell: Shell = { kind: 'web', router: createMemoryRouter(), version: '0', ...more }
  const model = createModel(face, shell, ['en'], () => 1)
  const stop = model.start()
  await vi.waitFor(() => expect(model.isReady.value).toBe(true))
  return { face, model, stop, route: () => shell.router.route.value }
}

describe('a face', () => {
  it('[U-02] reads the store once and is ready, with no connection', async () => {
    const face = new MemoryFace()
    face.connectionNow = { state: 'offline' }
    const { model, stop } = await started({}, face)
    expect(model.isReady.value).toBe(true)
    expect(model.connection.value).toEqual({ state: 'offline' })
    stop()
  })

  it('[K-02] after an identity was made, the backup is offered', async () => {
    const { model, route, stop } = await started()
    await model.makeIdentity({ name: 'A', deviceName: 'B' })
    expect(model.account.value?.state).toBe('ready')
    expect(route()).toEqual({ at: 'backup' })
    stop()
  })

  it('[C-12] an invitation waits until there is an identity, and is accepted then', async () => {
    const { model, route, stop } = await started({ invitationLink: 'https://r/i#x' })
    await model.makeIdentity({ name: 'A', deviceName: 'B' })
    expect(route()).toEqual({ at: 'accept' })
    expect(model.acceptsAtOnce.value).toBe(true)
    await model.acceptInvitation('https://r/i#x')
    expect(route()).toMatchObject({ at: 'channel' })
    expect(model.invitationLink.value).toBeUndefined()
    stop()
  })

  it('[C-12] an invitation that can’t be used is still there, so that it can be tried again', async () => {
    const { face, model, stop } = await started({ invitationLink: 'https://r/i#x' })
    face.acceptErrors.set('https://r/i#x', 'relay/unreachable')
    await expect(model.acceptInvitation('https://r/i#x')).rejects.toMatchObject({ code: 'relay/unreachable' })
    expect(model.invitationLink.value).toBe('https://r/i#x')
    stop()
  })

  it('[U-04] reads again what another window changed', async () => {
    const { face, model, stop } = await started()
    face.addChannel('c', 'Them')
    face.arrive('c', 'hi')
    await settled()
    expect(model.unread.value).toBe(1)
    face.settingsNow = { ...face.settingsNow, language: 'es' }
    face.tell({ what: 'settings' })
    await vi.waitFor(() => expect(model.strings.value.today).toBe('Hoy'))
    stop()
  })

  it('[FACE] a setting answers at once and is kept', async () => {
    const { face, model, stop } = await started()
    const saving = model.saveSettings({ theme: 'dark' })
    expect(model.settings.value.theme).toBe('dark')
    await saving
    expect(face.settingsNow.theme).toBe('dark')
    stop()
  })

  it('[U-07] an error while reading is said, and what was read before stays', async () => {
    const { face, model, stop } = await started()
    face.addChannel('c', 'Them')
    face.tell({ what: 'channels' })
    await settled()
    face.channels = () => Promise.reject(new InputError('identity/blocked'))
    face.tell({ what: 'channels' })
    await settled()
    expect(model.problem.value).toMatchObject({ code: 'identity/blocked' })
    expect(model.channels.value).toHaveLength(1)
    stop()
  })

  it('[K-03] an account that comes to this device is read, and the way in is left behind', async () => {
    const { face, model, route, stop } = await started()
    model.shell.router.go({ at: 'restore', by: 'words' })
    face.addChannel('c', 'Them')
    await model.restore({ by: 'phrase', words: 'w' }, { deviceName: 'B' })
    expect(model.account.value?.state).toBe('ready')
    expect(route()).toEqual({ at: 'list' })
    await vi.waitFor(() => expect(model.work.value).toMatchObject([{ kind: 'restore' }]))
    expect(model.channels.value).toHaveLength(1)
    stop()
  })

  it('[U-06] work that was stopped goes on', async () => {
    const { face, model, stop } = await started()
    await model.restore({ by: 'phrase', words: 'w' }, { deviceName: 'B' })
    await face.cancelWork('restore')
    await vi.waitFor(() => expect(model.work.value).toMatchObject([{ state: 'stopped' }]))
    await face.resumeWork('restore')
    await vi.waitFor(() => expect(model.work.value).toMatchObject([{ state: 'running' }]))
    stop()
  })

  it('[K-10] when the lock falls, nothing that could be read is left, and nothing that was under way comes after', async () => {
    const { face, model, stop } = await started()
    await model.makeIdentity({ name: 'A', deviceName: 'B' })
    await face.setLock({ by: 'passphrase', passphrase: 'six words', afterMinutes: 5 })
    face.addChannel('c', 'Them')
    face.arrive('c', 'a secret')
    const conversation = model.conversation('c')
    await conversation.open()
    model.sharedText.value = 'shared'
    model.announce('Them: a secret')
    await vi.waitFor(() => expect(model.channels.value).toHaveLength(1))
    const { channels } = face
    let answer = () => {}
    face.channels = () =>
      new Promise((resolve) => {
        answer = () => resolve(channels.call(face))
      })
    face.tell({ what: 'channels' })
    await face.lockNow()
    await vi.waitFor(() => expect(model.account.value?.state).toBe('locked'))
    answer()
    await settled()
    expect(model.channels.value).toBeUndefined()
    expect([model.sharedText.value, model.announcement.value, model.unread.value]).toEqual(['', '', 0])
    expect(model.conversation('c')).not.toBe(conversation)
    face.channels = channels
    await face.unlock({ passphrase: 'six words' })
    await vi.waitFor(() => expect(model.channels.value).toHaveLength(1))
    stop()
  })

  it('[K-10] a face that opens locked has the look it had, and no complaint', async () => {
    const face = new MemoryFace()
    face.accountView = { state: 'locked', doors: ['passphrase'] }
    face.channels = () => Promise.reject(new StoreError('store/locked'))
    const shell: Shell = { kind: 'web', router: createMemoryRouter(), version: '0' }
    const model = createModel(face, shell, ['en'], () => 1, { theme: 'dark', language: 'es' })
    const stop = model.start()
    await vi.waitFor(() => expect(model.isReady.value).toBe(true))
    expect(model.settings.value.theme).toBe('dark')
    expect(model.strings.value.today).toBe('Hoy')
    expect(model.problem.value).toBeUndefined()
    stop()
  })

  it('[M-11] what is muted or put away is not counted as unread, and put away is out of the list', async () => {
    const { face, model, stop } = await started()
    for (const id of ['a', 'muted', 'archived', 'blocked']) {
      face.addChannel(id, id)
      face.arrive(id, 'hi')
    }
    face.moveChannel('muted', { muted: {} })
    face.moveChannel('archived', { archived: true })
    face.moveChannel('blocked', { blocked: true })
    await vi.waitFor(() => expect(model.unread.value).toBe(1))
    expect(model.orderedChannels.value.map(({ id }) => id)).toEqual(['a', 'muted'])
    model.showsPutAway.value = true
    expect(model.orderedChannels.value.map(({ id }) => id)).toEqual(['archived', 'blocked'])
    stop()
  })

  it('[C-04] the details that are on the screen are read again when the group changes, and no others', async () => {
    const { face, model, stop } = await started()
    face.addChannel('a', 'A', [], { kind: 'group' })
    face.addChannel('b', 'B', [], { kind: 'group' })
    await model.read.details('a')
    model.shell.router.go({ at: 'details', channelId: 'b' })
    await model.read.details('b')
    face.moveDetails('b', { topic: 'new' })
    await vi.waitFor(() => expect(model.details.value).toMatchObject({ id: 'b', topic: 'new' }))
    await model.read.details('gone')
    expect(model.details.value).toBeUndefined()
    stop()
  })

  it('[C-04] what was asked of one conversation is not shown as another’s', async () => {
    const { face, model, stop } = await started()
    const seen: unknown[] = []
    const stopSeeing = model.details.subscribe((now) => seen.push(now?.id))
    face.addChannel('a', 'A', [], { kind: 'group' })
    face.addChannel('b', 'B', [], { kind: 'group' })
    const first = model.read.details('a')
    await Promise.all([first, model.read.details('b')])
    expect(model.details.value?.id).toBe('b')
    expect(seen).not.toContain('a')
    stopSeeing()
    stop()
  })

  it('[K-10] [K-11] nobody’s page is left when the lock falls', async () => {
    const { face, model, stop } = await started()
    await model.makeIdentity({ name: 'A', deviceName: 'B' })
    await face.setLock({ by: 'passphrase', passphrase: 'six words', afterMinutes: 5 })
    face.personViews = [{ id: 'p', name: 'P', fingerprint: '1', verified: true, sameName: false, stopped: false }]
    await Promise.all([model.read.people(), model.read.person('p'), model.read.alarms(), model.read.health()])
    expect(model.person.value?.name).toBe('P')
    await face.lockNow()
    await vi.waitFor(() => expect(model.people.value).toBeUndefined())
    expect([model.person.value, model.alarms.value, model.health.value]).toEqual([undefined, undefined, undefined])
    stop()
  })

  it('[K-07] what a removed device had is not left on its screen', async () => {
    const { face, model, stop } = await started()
    await model.makeIdentity({ name: 'A', deviceName: 'B' })
    face.addChannel('c', 'Them')
    face.tell({ what: 'channels' })
    await vi.waitFor(() => expect(model.channels.value).toHaveLength(1))
    face.accountView = { state: 'revoked' }
    face.tell({ what: 'account' })
    await vi.waitFor(() => expect(model.channels.value).toBeUndefined())
    stop()
  })

  it('[K-10] use is told now and then, and only while a lock is set', async () => {
    const face = new MemoryFace()
    let nowMs = 0
    const shell: Shell = { kind: 'web', router: createMemoryRouter(), version: '0' }
    const model = createModel(face, shell, ['en'], () => nowMs)
    const stop = model.start()
    await vi.waitFor(() => expect(model.lock.value).toBeDefined())
    model.used()
    expect(face.touches).toBe(0)
    await face.setLock({ by: 'passphrase', passphrase: 'six words', afterMinutes: 1 })
    await vi.waitFor(() => expect(model.lock.value?.state).toBe('unlocked'))
    for (; nowMs < 30_000; nowMs += 1000) model.used()
    expect(face.touches).toBe(2)
    stop()
  })
})
