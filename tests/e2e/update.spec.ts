import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startRelay } from '../../scripts/relay.mjs'
import { expect, test } from './fixtures.ts'
import { makeIdentity } from './person.ts'

const DIST = resolve(import.meta.dirname, '../../dist')

test('[U-02] a new version is offered, waits for consent, and never serves a page together with the old one', async ({
  web,
  relay,
  folder,
}) => {
  const page = await web('ada')
  await makeIdentity(page, 'Ada')
  await page.evaluate(() => navigator.serviceWorker.ready)
  const second = await page.context().newPage()
  await second.goto(relay.url)

  const dist = folder('dist')
  cpSync(DIST, dist, { recursive: true })
  const index = join(dist, 'pwa/index.html')
  writeFileSync(index, readFileSync(index, 'utf8').replace('<title>', '<meta name="next"><title>'))
  const worker = join(dist, 'pwa/sw.js')
  const precached = readFileSync(worker, 'utf8')
  const changed = precached.replace(
    /"revision":"[0-9a-f]{32}","url":"index.html"/,
    '"revision":"next","url":"index.html"',
  )
  expect(changed !== precached, 'the precache list names another revision').toBe(true)
  writeFileSync(worker, changed)
  const { port } = new URL(relay.url)
  await relay.stop()
  const next = await startRelay({ data: folder('next'), port: Number(port), dist })
  try {
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update())
    await expect(page.getByText('A new version is ready.')).toBeVisible()
    await page.reload()
    await expect(page.locator('meta[name="next"]'), 'the old version is whole until somebody agrees').toHaveCount(0)
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(page.locator('meta[name="next"]')).toHaveCount(1)
    await expect(second.locator('meta[name="next"]'), 'every page moves at once').toHaveCount(1)
  } finally {
    await next.stop()
  }
})
