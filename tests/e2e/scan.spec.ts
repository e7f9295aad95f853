import type { BrowserContext, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, makeIdentity, row, say } from './person.ts'

const CAMERA = '--use-fake-device-for-media-stream'

/** This browser's camera is one of its own making, and what reads codes is put in: it finds this text in any picture that is one. */
async function reads(context: BrowserContext, url: string, code: string): Promise<Page> {
  await context.addInitScript((text) => {
    class BarcodeDetector {
      async detect(video: HTMLVideoElement) {
        Object.assign(globalThis, { seen: { width: video.videoWidth, tracks: video.srcObject } })
        return video.videoWidth > 0 ? [{ rawValue: text }] : []
      }
    }
    Object.assign(globalThis, { BarcodeDetector })
  }, code)
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(url)
  return page
}

test('[C-12] an invitation is scanned, the camera closes, and nobody is verified by it', async ({
  web,
  profile,
  relay,
}) => {
  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  const link = await invite(ada)
  const ben = await reads(await profile('ben', [CAMERA, '--use-fake-ui-for-media-stream']), relay.url, link)
  await makeIdentity(ben, 'Ben')
  await ben.getByRole('button', { name: 'I have an invitation' }).first().click()
  await ben.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(ben.getByRole('textbox', { name: 'Invitation link' })).toHaveValue(link)
  await expect(ben.getByRole('button', { name: 'Scan with the camera' })).toBeVisible() // it is over by itself
  const tracks = () =>
    ben.evaluate(() => {
      const { seen } = globalThis as unknown as { seen: { width: number; tracks: MediaStream } }
      return { isPicture: seen.width > 0, states: seen.tracks.getTracks().map(({ readyState }) => readyState) }
    })
  expect(await tracks()).toEqual({ isPicture: true, states: ['ended'] })
  await ben.getByRole('button', { name: 'Accept', exact: true }).click()
  await say(ben, 'scanned')
  await expect(row(ada, 'Ben')).toContainText('scanned')
  await ben
    .getByRole('link', { name: 'People' })
    .or(ben.getByRole('button', { name: 'People' }))
    .first()
    .click()
  await expect(ben.getByTestId('person')).toContainText('Ada')
  await expect(ben.getByTestId('person')).not.toContainText('Verified')
})

test('[C-12] where the camera may not be used it is said, and where nothing reads codes nothing is offered', async ({
  web,
  profile,
  relay,
}) => {
  const ben = await reads(await profile('ben', [CAMERA, '--deny-permission-prompts']), relay.url, 'never')
  await makeIdentity(ben, 'Ben')
  await ben.getByRole('button', { name: 'I have an invitation' }).first().click()
  await ben.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(ben.getByText('Stave may not use the camera.')).toBeVisible()
  const field = ben.getByRole('textbox', { name: 'Invitation link' })
  await expect(field).toHaveValue('')

  const ada = await web('ada')
  await makeIdentity(ada, 'Ada')
  await ada.getByRole('button', { name: 'I have an invitation' }).first().click()
  await expect(ada.getByRole('textbox', { name: 'Invitation link' })).toBeVisible()
  const isThere = await ada.evaluate(() => 'BarcodeDetector' in globalThis)
  if (!isThere) await expect(ada.getByRole('button', { name: 'Scan with the camera' })).toHaveCount(0)
})
