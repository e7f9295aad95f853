import { expect, test } from './fixtures.ts'
import { makeIdentity } from './person.ts'

const ready = () => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)

test('[R-01] the relay serves the web app under a policy without unsafe-*', async ({ relay }) => {
  for (const path of ['/', '/c/x', '/share?text=hello']) {
    const answer = await fetch(relay.url + path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)/)
  }
  expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
})

test('[U-02] the web app opens offline on every route, and is installable', async ({ profile, relay }) => {
  const page = await (await profile('a')).newPage() // a window without a profile of its own installs nothing
  await page.goto(relay.url)
  await expect(page.locator('#app > *').first()).toBeVisible()
  await expect.poll(() => page.evaluate(ready)).toBe(true)

  const session = await page.context().newCDPSession(page)
  expect((await session.send('Page.getAppManifest')).errors).toEqual([])
  expect((await session.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([])

  await page.context().setOffline(true)
  for (const path of ['/', '/c/x']) {
    await page.goto(relay.url + path)
    await expect(page.locator('#app > *').first()).toBeVisible()
  }
})

test('[U-01] popup and side panel open, also after the background worker was stopped', async ({ extension }) => {
  const { id, popup, sidepanel, stopWorker } = await extension()
  expect(id).toMatch(/^[a-p]{32}$/)
  await expect((await popup()).locator('#app > *').first()).toBeVisible()
  await stopWorker()
  await expect((await sidepanel()).locator('#app > *').first()).toBeVisible()
})

test('[U-02] [K-04] what another app shares comes in the body of a request, and is offered to a conversation', async ({
  web,
  relay,
}) => {
  const page = await web('a')
  await makeIdentity(page, 'Ada')
  await expect.poll(() => page.evaluate(ready)).toBe(true)
  await page.evaluate(() => {
    const form = document.createElement('form')
    form.method = 'POST'
    form.enctype = 'multipart/form-data'
    form.action = '/share'
    for (const [name, value] of [
      ['title', 'A title'],
      ['text', 'something worth reading'],
      ['url', 'https://example.org/'],
    ] as const) {
      const field = document.createElement('input')
      field.name = name
      field.value = value
      form.append(field)
    }
    document.body.append(form)
    form.submit()
  })
  await expect(page).toHaveURL(`${relay.url}/share`)
  await expect(page.getByText('something worth reading').first()).toBeVisible()
})
