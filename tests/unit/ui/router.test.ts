import { describe, expect, it } from 'vitest'
import { channelOf, createMemoryRouter, createPathRouter, parseRoute, type Route, routePath } from '#ui/state/router.ts'

const ROUTES: readonly Route[] = [
  { at: 'list' },
  { at: 'channel', channelId: 'a/b ü?#' },
  { at: 'details', channelId: 'a/b ü?#' },
  { at: 'add', channelId: 'details' },
  { at: 'groupLink', channelId: 'a/b' },
  { at: 'find' },
  { at: 'group' },
  { at: 'people' },
  { at: 'person', personId: 'a/b ü?#' },
  { at: 'health' },
  { at: 'invite' },
  { at: 'accept' },
  { at: 'settings' },
  { at: 'devices' },
  { at: 'link' },
  { at: 'doors' },
  { at: 'lock' },
  { at: 'archive' },
  { at: 'backup' },
  { at: 'share' },
  { at: 'restore' },
  { at: 'restore', by: 'words' },
  { at: 'restore', by: 'link' },
]

/** A browser's history, as far as the router uses it. */
function fakePage(path: string) {
  const entries: { path: string; state: unknown }[] = [{ path, state: null }]
  let at = 0
  let onPop = () => {}
  return {
    entries,
    get path() {
      return entries[at]?.path
    },
    location: {
      get pathname() {
        return entries[at]?.path ?? '/'
      },
    } as Location,
    history: {
      get state() {
        return entries[at]?.state
      },
      pushState(state: unknown, _: string, next: string) {
        entries.splice(++at, Infinity, { path: next, state })
      },
      replaceState(state: unknown, _: string, next: string) {
        entries[at] = { path: next, state }
      },
      back() {
        at--
        onPop()
      },
    } as unknown as History,
    addEventListener: ((_: string, listener: () => void) => {
      onPop = listener
    }) as Window['addEventListener'],
  }
}

describe('routes', () => {
  it('[U-02] every place has an address, and the address leads back to it', () => {
    for (const route of ROUTES) expect(parseRoute(routePath(route))).toEqual(route)
  })

  it('[U-02] an address that means nothing leads to the list', () => {
    for (const path of [
      '/nowhere',
      '/c',
      '/c/',
      '/c/%E0%A4%A',
      '/p',
      '/p/%E0%A4%A',
      '',
      '/constructor',
      '/__proto__',
    ]) {
      expect(parseRoute(path)).toEqual({ at: 'list' })
    }
  })

  it('[U-02] the browser’s back button and the app’s own step back go the same way', () => {
    const page = fakePage('/')
    const router = createPathRouter(page)
    router.go({ at: 'settings' })
    router.go({ at: 'backup' })
    expect(page.path).toBe('/backup')
    page.history.back()
    expect(router.route.value).toEqual({ at: 'settings' })
    router.back()
    expect(router.route.value).toEqual({ at: 'list' })
  })

  it('[U-02] a step back from a deep link leads to the list, not out of Stave', () => {
    const page = fakePage('/c/x')
    const router = createPathRouter(page)
    router.back()
    expect(router.route.value).toEqual({ at: 'list' })
    expect(page.entries).toHaveLength(1)
  })

  it('[U-02] a conversation has its own address with its details open', () => {
    expect(routePath({ at: 'details', channelId: 'x' })).toBe('/c/x/details')
    expect(parseRoute('/c/x/anything')).toEqual({ at: 'channel', channelId: 'x' })
    expect(channelOf(parseRoute('/c/x/details'))).toBe('x')
    expect(channelOf(parseRoute('/p/x'))).toBeUndefined()
  })

  it('going where one is already adds nothing', () => {
    const page = fakePage('/settings')
    createPathRouter(page).go({ at: 'settings' })
    expect(page.entries).toHaveLength(1)
  })

  it('[U-01] an extension page steps back through its own memory', () => {
    const router = createMemoryRouter()
    router.go({ at: 'invite' })
    router.go({ at: 'accept' }, { replace: true })
    router.back()
    expect(router.route.value).toEqual({ at: 'list' })
    router.back()
    expect(router.route.value).toEqual({ at: 'list' })
  })
})
