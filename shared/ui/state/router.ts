import { type ReadonlySignal, signal } from '@preact/signals'

/** What a pane shows. Every one has an address, so that a link, a reload and the back button work (U-02). */
export type Route =
  | { readonly at: 'list' }
  | { readonly at: 'channel'; readonly channelId: string }
  | { readonly at: 'details'; readonly channelId: string }
  | { readonly at: 'add'; readonly channelId: string }
  | { readonly at: 'groupLink'; readonly channelId: string }
  | { readonly at: 'space'; readonly channelId: string }
  | { readonly at: 'group' }
  | { readonly at: 'find' }
  | { readonly at: 'newSpace' }
  | { readonly at: 'people' }
  | { readonly at: 'person'; readonly personId: string }
  | { readonly at: 'health' }
  | { readonly at: 'invite' }
  | { readonly at: 'accept' }
  | { readonly at: 'settings' }
  | { readonly at: 'devices' }
  | { readonly at: 'link' }
  | { readonly at: 'doors' }
  | { readonly at: 'lock' }
  | { readonly at: 'archive' }
  | { readonly at: 'backup' }
  | { readonly at: 'share' }
  | { readonly at: 'restore'; readonly by?: RestoreWay }

export type RestoreWay = 'words' | 'link' | 'passphrase' | 'passkey'

export interface Router {
  readonly route: ReadonlySignal<Route>
  go(route: Route, how?: { readonly replace?: boolean }): void
  /** One step back inside Stave; from the first place to the list. */
  back(): void
}

const PLAIN: Readonly<Record<string, Route>> = {
  '': { at: 'list' },
  group: { at: 'group' },
  find: { at: 'find' },
  space: { at: 'newSpace' },
  people: { at: 'people' },
  health: { at: 'health' },
  invite: { at: 'invite' },
  i: { at: 'accept' },
  settings: { at: 'settings' },
  devices: { at: 'devices' },
  link: { at: 'link' },
  doors: { at: 'doors' },
  lock: { at: 'lock' },
  archive: { at: 'archive' },
  backup: { at: 'backup' },
  share: { at: 'share' },
  restore: { at: 'restore' },
}
const WAYS: readonly string[] = ['words', 'link', 'passphrase', 'passkey'] satisfies readonly RestoreWay[]

/** @returns the list for an address that means nothing, so that a mistyped one is never a dead end */
export function parseRoute(path: string): Route {
  const [head = '', tail = '', end = ''] = path.replace(/^\/|\/$/g, '').split('/')
  if ((head === 'c' || head === 'p') && tail !== '') {
    try {
      const id = decodeURIComponent(tail)
      if (head === 'p') return { at: 'person', personId: id }
      if (end === 'link') return { at: 'groupLink', channelId: id }
      return { at: end === 'details' || end === 'add' || end === 'space' ? end : 'channel', channelId: id }
    } catch {
      return { at: 'list' }
    }
  }
  if (head === 'restore' && WAYS.includes(tail)) return { at: 'restore', by: tail as RestoreWay }
  return (Object.hasOwn(PLAIN, head) ? PLAIN[head] : undefined) ?? { at: 'list' }
}

export function routePath(route: Route): string {
  if ('channelId' in route) {
    const path = `/c/${encodeURIComponent(route.channelId)}`
    if (route.at === 'groupLink') return `${path}/link`
    return route.at === 'channel' ? path : `${path}/${route.at}`
  }
  if (route.at === 'person') return `/p/${encodeURIComponent(route.personId)}`
  if (route.at === 'restore' && route.by !== undefined) return `/restore/${route.by}`
  const head = Object.keys(PLAIN).find((key) => PLAIN[key]?.at === route.at)
  return `/${head ?? ''}`
}

/** The conversation that is on the screen, alone or behind its details. */
export function channelOf(route: Route): string | undefined {
  return 'channelId' in route ? route.channelId : undefined
}

/** For extension pages, whose address must stay that of their file. */
export function createMemoryRouter(first: Route = { at: 'list' }): Router {
  const route = signal(first)
  const behind: Route[] = []
  return {
    route,
    go(next, how) {
      if (routePath(next) === routePath(route.value)) return
      if (!how?.replace) behind.push(route.value)
      route.value = next
    },
    back() {
      route.value = behind.pop() ?? { at: 'list' }
    },
  }
}

/** For the web app: the address bar and the browser's back button. */
export function createPathRouter(page: Pick<Window, 'location' | 'history' | 'addEventListener'>): Router {
  const route = signal(parseRoute(page.location.pathname))
  const depth = () => (typeof page.history.state?.depth === 'number' ? (page.history.state.depth as number) : 0)
  page.addEventListener('popstate', () => {
    route.value = parseRoute(page.location.pathname)
  })
  const go: Router['go'] = (next, how) => {
    if (routePath(next) === routePath(route.value)) return
    if (how?.replace) page.history.replaceState({ depth: depth() }, '', routePath(next))
    else page.history.pushState({ depth: depth() + 1 }, '', routePath(next))
    route.value = next
  }
  return {
    route,
    go,
    back() {
      // Without a step of ours behind it, the browser's back would leave Stave.
      if (depth() > 0) page.history.back()
      else go({ at: 'list' }, { replace: true })
    },
  }
}
