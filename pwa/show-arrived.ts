export const ARRIVED_TAG = 'stave-arrived'
/** All open pages tell of one message, a moment apart. */
const SAME_WITHIN_MS = 1_000

type Pages = () => Promise<readonly { readonly visibilityState: string }[]>
type Registration = Pick<ServiceWorkerRegistration, 'showNotification'>
/** `renotify` is not among the types of all engines: a second message is heard too, though the first lies there still. */
type Shown = NotificationOptions & { readonly renotify: boolean }

let lastMs = Number.NEGATIVE_INFINITY

/** One notification at a time, without content (K-10, T-08), and only while no page is seen. */
export async function showArrived(
  registration: Registration,
  pages: Pages,
  channelId: string,
  nowMs: number,
): Promise<void> {
  const open = await pages()
  if (open.some(({ visibilityState }) => visibilityState === 'visible') || nowMs < lastMs + SAME_WITHIN_MS) return
  lastMs = nowMs
  const shown: Shown = {
    tag: ARRIVED_TAG,
    renotify: true,
    icon: '/icon-192.png',
    data: { url: `/c/${channelId}` },
  }
  await registration.showNotification('Stave', shown)
}
