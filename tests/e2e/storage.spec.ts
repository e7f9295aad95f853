import { expect, test } from './fixtures.ts'
import { composer, invite, makeIdentity, paste } from './person.ts'

test('[U-07] where storage is refused, that is said, and nothing is made', async ({ profile, relay }) => {
  const context = await profile('private')
  await context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('refused', 'SecurityError')
    }
  })
  const page = await context.newPage()
  await page.goto(relay.url)
  await expect(page.getByRole('heading', { name: 'Stave can’t store anything here' })).toBeVisible()
  await expect(page.getByLabel('Your name')).toHaveCount(0)
})

test('[U-07] on a full disk the text stays in the box, with a sentence, and goes out once there is room', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  await makeIdentity(ben, 'Ben')
  await paste(ben, link)
  await expect(composer(ben)).toBeVisible()
  await ben.evaluate(() => {
    const { add } = IDBObjectStore.prototype
    IDBObjectStore.prototype.add = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    Object.assign(window, {
      makeRoom: () => {
        IDBObjectStore.prototype.add = add
      },
    })
  })
  await composer(ben).fill('do not lose me')
  await composer(ben).press('Enter')
  await expect(ben.getByText(/This device is full/).filter({ visible: true })).toHaveCount(1)
  await expect(composer(ben)).toHaveValue('do not lose me')
  await ben.evaluate(() => (window as unknown as { makeRoom(): void }).makeRoom())
  await composer(ben).press('Enter')
  await expect(ben.locator('[data-line-state="delivered"]')).toHaveText(/do not lose me/)
})

test('[U-07] [K-02] while the browser may erase the keys, that is said with one act, and can be put away', async ({
  web,
}) => {
  const page = await web('ada')
  await makeIdentity(page, 'Ada')
  const warning = page.getByText(/^This browser may erase your keys/)
  await expect(warning).toBeVisible()
  await page.getByRole('button', { name: 'Not this week' }).click()
  await expect(warning).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('link', { name: /^Notes to self/ })).toBeVisible()
  await expect(warning).toHaveCount(0)
})
