import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { showArrived } from './show-arrived.ts'

declare const self: ServiceWorkerGlobalScope & {
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[]
}

precacheAndRoute(self.__WB_MANIFEST)
cleanupOutdatedCaches()
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/v1(\/|$)/, /^\/healthz$/, /^\/realm\.json$/],
  }),
)

/** What was shared, until the page that opens for it has taken it: in memory, never in an address or on the disk (K-04). */
let shared = ''

registerRoute(
  ({ url }) => url.pathname === '/share',
  async ({ request }) => {
    const fields = await request.formData()
    const said = ['title', 'text', 'url'].map((name) => fields.get(name)).filter((one) => typeof one === 'string')
    shared = [...new Set(said.filter((one) => one !== ''))].join('\n')
    return Response.redirect('/share', 303)
  },
  'POST',
)

/**
 * Two versions never serve one page: a new worker waits until it is asked (U-02); then every open page sees that it has another
 * controller, and loads anew (updates.ts).
 * The very first worker takes the pages that were opened before it, so that they are offline-ready at once.
 */
let first = false

self.addEventListener('install', () => {
  first = self.registration.active === null
})

self.addEventListener('message', (event) => {
  if (event.data?.type === 'TAKE_SHARED') {
    event.ports[0]?.postMessage(shared)
    shared = ''
  }
  if (event.data?.type === 'ARRIVED') {
    event.waitUntil(showArrived(self.registration, pages, String(event.data.channelId), Date.now()))
  }
  if (event.data?.type !== 'SKIP_WAITING') return
  event.waitUntil(self.skipWaiting())
})

self.addEventListener('activate', (event) => {
  if (first) event.waitUntil(self.clients.claim())
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(showPage(String(event.notification.data?.url ?? '/')))
})

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })

async function showPage(path: string): Promise<void> {
  const url = new URL(path, self.location.origin)
  if (url.origin !== self.location.origin) return
  const open = await pages()
  const page = open.find((one) => one.url === url.href) ?? open[0]
  if (page === undefined) {
    await self.clients.openWindow(url.href)
    return
  }
  await page.focus()
  page.postMessage({ type: 'OPEN', path: url.pathname + url.hash })
}
