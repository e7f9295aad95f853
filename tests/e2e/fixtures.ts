import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BrowserContext, test as base, chromium, expect, type Page } from '@playwright/test'
import { FLAGS, findChromium } from '../../scripts/chromium.mjs'
import { type Relay, startRelay } from '../../scripts/relay.mjs'

const EXTENSION = resolve(import.meta.dirname, '../../dist/extension/chrome-mv3')
const VIEWPORT = { width: 1100, height: 760 }

export type TestRelay = Relay & {
  /** All that the runtime wrote to its output so far. */
  output(): string
}

export type Extension = {
  readonly id: string
  readonly context: BrowserContext
  popup(): Promise<Page>
  sidepanel(): Promise<Page>
  /** As the browser does at any moment: its memory is gone, its storage stays. */
  stopWorker(): Promise<void>
}

type Fixtures = {
  /** A folder that is gone after the test. */
  folder(name: string): string
  relay: TestRelay
  /** Storage of its own, with the web app open. All of a worker are in one browser: starting one costs seconds. */
  web(name: string, options?: { readonly path?: string }): Promise<Page>
  /** A browser profile of its own, with the extension in it. */
  extension(name?: string): Promise<Extension>
  /** What breaks the rules in there fails the test at its end, which closes it. */
  watched(name: string, context: BrowserContext): void
  /** A browser and its profile of its own: what needs flags, extensions or passkeys. */
  profile(name: string, flags?: readonly string[]): Promise<BrowserContext>
}

export const test = base.extend<Fixtures>({
  folder: async ({ browserName }, use) => {
    const made: string[] = []
    await use((name) => {
      const path = mkdtempSync(join(tmpdir(), `stave-${browserName}-${name}-`))
      made.push(path)
      return path
    })
    for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  },

  relay: async ({ folder }, use) => {
    const output: string[] = []
    const relay = await startRelay({ data: folder('relay'), onOutput: (chunk) => output.push(chunk) })
    await use({ ...relay, output: () => output.join('') })
    await relay.stop()
  },

  watched: async ({ relay }, use) => {
    const opened: BrowserContext[] = []
    const troubles: string[] = []
    await use((name, context) => {
      opened.push(context)
      watch(context, name, new URL(relay.url).origin, troubles)
    })
    for (const context of opened) await context.close()
    expect(troubles).toEqual([])
  },

  profile: async ({ folder, watched }, use) => {
    await use(async (name, flags = []) => {
      const context = await chromium.launchPersistentContext(folder(name), {
        executablePath: findChromium() ?? '',
        headless: true,
        viewport: VIEWPORT,
        args: [...FLAGS, ...flags],
      })
      watched(name, context)
      return context
    })
  },

  web: async ({ browser, watched, relay }, use) => {
    await use(async (name, { path = '/' } = {}) => {
      const context = await browser.newContext({ viewport: VIEWPORT })
      watched(name, context)
      const page = await context.newPage()
      await page.goto(relay.url + path)
      return page
    })
  },

  extension: async ({ profile }, use) => {
    await use(async (name = 'extension') => {
      const context = await profile(name, [`--disable-extensions-except=${EXTENSION}`, `--load-extension=${EXTENSION}`])
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
      const id = new URL(worker.url()).host
      const open = async (file: string, width: number, height: number) => {
        const page = await context.newPage()
        await page.setViewportSize({ width, height })
        await page.goto(`chrome-extension://${id}/${file}`)
        return page
      }
      return {
        id,
        context,
        popup: () => open('popup.html', 380, 560),
        sidepanel: () => open('sidepanel.html', 400, 760),
        stopWorker: () => stopWorker(context, id),
      }
    })
  },
})

export { expect }

/** No script error, nothing that the policies refuse, no request to a third party: in any page of any test. */
function watch(context: BrowserContext, name: string, origin: string, troubles: string[]): void {
  context.on('weberror', (error) => troubles.push(`${name}: ${error.error().message}`))
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted ?(Types|Script|HTML)/i.test(message.text()))
      troubles.push(`${name}: ${message.text()}`)
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== new URL(origin).host)
      troubles.push(`${name}: ${url.href}`)
  })
}

async function stopWorker(context: BrowserContext, id: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(`chrome-extension://${id}/manifest.json`) // of the extension's origin, and wakes nothing
  const session = await context.newCDPSession(page)
  const stopped = new Promise<void>((done) => {
    session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      if (versions.some(({ scriptURL, runningStatus }) => scriptURL.includes(id) && runningStatus === 'stopped')) done()
    })
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await stopped
  await page.close()
}
