import { describe, expect, it, vi } from 'vitest'
import { InputError } from '#core/errors.ts'
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
})
