import { beforeEach, describe, expect, it, vi } from 'vitest'

describe('[U-02] [T-08] a notification of the web app', () => {
  let showArrived: typeof import('../../../pwa/show-arrived.ts').showArrived
  let shown: { readonly tag?: string; readonly renotify?: boolean; readonly data?: unknown }[]
  const registration = {
    showNotification: async (_title: string, options?: object) => {
      shown.push(options ?? {})
    },
  }
  const pages =
    (...states: string[]) =>
    async () =>
      states.map((visibilityState) => ({ visibilityState }))
  beforeEach(async () => {
    shown = []
    vi.resetModules() // what it remembers is a service worker's
    showArrived = (await import('../../../pwa/show-arrived.ts')).showArrived
  })

  it('is not shown while any page is seen, whichever of them heard of it', async () => {
    await showArrived(registration, pages('hidden', 'visible'), 'c', 0)
    expect(shown).toEqual([])
    await showArrived(registration, pages('hidden', 'hidden'), 'c', 0)
    await showArrived(registration, pages(), 'c', 5_000)
    expect(shown).toHaveLength(2)
  })

  it('is one for all pages that tell of a message, and heard anew with the next one', async () => {
    for (const atMs of [0, 20, 90]) await showArrived(registration, pages('hidden', 'hidden', 'hidden'), 'c', atMs)
    expect(shown).toHaveLength(1)
    await showArrived(registration, pages('hidden'), 'd', 60_000)
    expect(shown.at(-1)).toMatchObject({ tag: 'stave-arrived', renotify: true, data: { url: '/c/d' } })
  })
})
