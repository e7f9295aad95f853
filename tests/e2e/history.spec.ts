import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { invite, lines, makeIdentity, openChannel, paste, row, say, texts } from './person.ts'

/** The one who invites has the other among their people. */
async function meet(host: Page, guest: Page, name: string): Promise<void> {
  const link = await invite(host)
  await makeIdentity(guest, name)
  await paste(guest, link)
  await say(guest, `hello from ${name}`)
  await expect(row(host, name)).toContainText(`hello from ${name}`)
}

async function group(page: Page, title: string, people: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByLabel('Name of the group').fill(title)
  for (const name of people) await page.getByRole('checkbox', { name }).check()
  await page.getByRole('button', { name: 'Make the group' }).click()
  await expect(page.getByRole('heading', { name: title })).toBeVisible()
}

const openDetails = (page: Page) => page.getByRole('button', { name: 'Details of this conversation' }).click()

test('[C-11] a newcomer reads from then on, and what was before when a member shares it: asked first, told to all, marked', async ({
  web,
}) => {
  const [ada, ben, cleo] = [await web('ada'), await web('ben'), await web('cleo')]
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await meet(ada, cleo, 'Cleo')
  await group(ada, 'Roof', ['Ben'])
  await say(ada, 'who has a ladder?')
  await expect(row(ben, 'Roof')).toContainText('who has a ladder?', { timeout: 30_000 })
  await openChannel(ben, 'Roof')
  await say(ben, 'I do')
  await expect(lines(ada).last()).toContainText('I do', { timeout: 30_000 })

  await openDetails(ada)
  await ada.getByRole('button', { name: 'Add people' }).click()
  await ada.getByRole('checkbox', { name: 'Cleo' }).check()
  await ada.getByRole('button', { name: 'Add people' }).last().click()
  await expect(row(cleo, 'Roof')).toBeVisible({ timeout: 30_000 })
  await openChannel(cleo, 'Roof')
  await expect.poll(() => texts(cleo)).toEqual([])

  await expect(ada.getByRole('button', { name: 'Share earlier messages with Ben' })).toHaveCount(0)
  await ada.getByRole('button', { name: 'Share earlier messages with Cleo' }).click()
  const dialog = ada.getByRole('dialog')
  await expect(dialog).toContainText('This can’t be taken back.')
  await expect(dialog).toContainText('Everybody in the group is told')
  await dialog.getByRole('radio', { name: 'Everything (2)' }).check()
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(dialog).toHaveCount(0)

  await expect.poll(() => texts(cleo), { timeout: 30_000 }).toEqual(['who has a ladder?', 'I do'])
  await expect(cleo.getByText('Shared by ⁨Ada⁩, not proven')).toHaveCount(2)
  await expect(cleo.getByText('⁨Ada⁩ shared earlier messages with you (2)')).toBeVisible()
  await expect(ben.getByText(/⁨Ada⁩ shared earlier messages with .* \(2\)/)).toBeVisible()
  await cleo.reload()
  await expect.poll(() => texts(cleo)).toEqual(['who has a ladder?', 'I do'])
})

test('[C-13] [A-02] a group’s picture is cut to a square, says nothing of where it was taken, and is shown to all', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await group(ada, 'Roof', ['Ben'])
  await expect(row(ben, 'Roof')).toBeVisible({ timeout: 30_000 })
  for (const page of [ada, ben]) await page.evaluate(watchPictures)
  await openDetails(ada)
  await ada
    .locator('input[type=file]')
    .setInputFiles({ name: 'roof.jpg', mimeType: 'image/jpeg', buffer: await photo(ada) })
  for (const page of [ada, ben]) {
    const picture = page.locator('.avatar-picture')
    await expect(picture).toBeVisible({ timeout: 30_000 })
    const sides = await picture.evaluate((image) => [
      (image as HTMLImageElement).naturalWidth,
      (image as HTMLImageElement).naturalHeight,
    ])
    expect(sides[0]).toBe(sides[1])
    const [bytes] = await page.evaluate(picturesSeen)
    expect(bytes?.length).toBeLessThanOrEqual(16 * 1024)
    const content = Buffer.from(bytes ?? []).toString('latin1')
    expect(content).not.toContain('Exif')
    expect(content).not.toContain('41.3874 N')
  }
  await openChannel(ben, 'Roof')
  await expect(ben.locator('.head-picture')).toBeVisible()
  await openDetails(ben)
  await expect(ben.locator('.details-picture')).toBeVisible()
  await expect(ben.getByRole('button', { name: /picture/i })).toHaveCount(0)
  await expect(ben.getByText('⁨Ada⁩ changed the picture')).toBeVisible()

  await ada
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('none') })
  await expect(ada.getByText('This picture can’t be used.')).toBeVisible()
  await ada.getByRole('button', { name: 'Take the picture away' }).click()
  for (const page of [ada, ben]) await expect(page.locator('.avatar-picture')).toHaveCount(0, { timeout: 30_000 })
})

test('[M-04] messages vanish after a timer: chosen in the details, told to all, and seen on each message', async ({
  web,
}) => {
  const [ada, ben] = [await web('ada'), await web('ben')]
  await makeIdentity(ada, 'Ada')
  await meet(ada, ben, 'Ben')
  await openChannel(ada, 'Ben')
  await say(ada, 'this stays')
  await openDetails(ada)
  const timer = ada.getByLabel('Messages vanish after')
  await timer.selectOption({ label: '7 days' }) // as arrow keys pass through choices: nothing is set by it
  await timer.selectOption({ label: '1 hour' })
  await expect(ada.getByText('Nobody is kept from copying')).toBeVisible()
  await ada.getByRole('button', { name: 'Set this time' }).click()
  await expect(ben.getByText('⁨Ada⁩ let messages vanish after 1 hour')).toBeVisible({ timeout: 30_000 })
  await expect(ada.getByLabel('Messages vanish after')).toHaveValue('3600000')
  for (const page of [ada, ben]) await expect(page.getByText('let messages vanish after 7 days')).toHaveCount(0)
  await say(ben, 'gone in an hour')
  await expect(lines(ada).last()).toContainText('gone in an hour', { timeout: 30_000 })
  for (const page of [ada, ben]) {
    await expect(page.getByTestId('vanishes')).toHaveCount(1, { timeout: 30_000 })
    await expect(lines(page).filter({ hasText: 'this stays' }).getByTestId('vanishes')).toHaveCount(0)
  }
  const inAnHour = Date.now() + 61 * 60_000
  for (const page of [ada, ben]) {
    await page.clock.setFixedTime(inAnHour)
    await page.reload()
    await expect(lines(page).filter({ hasText: 'this stays' })).toBeVisible()
    await expect(lines(page).filter({ hasText: 'gone in an hour' })).toHaveCount(0)
  }
})

/** A wide photograph with a place in its EXIF. */
async function photo(page: Page): Promise<Buffer> {
  const plain = await page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    ;[canvas.width, canvas.height] = [1600, 900]
    const pen = canvas.getContext('2d')
    if (pen === null) throw new Error('no canvas')
    for (let x = 0; x < 1600; x += 4) {
      pen.fillStyle = `hsl(${x % 360} 80% ${20 + ((x * 7) % 60)}%)`
      pen.fillRect(x, (x * 13) % 500, 4, 400)
    }
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.95))
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))]
  })
  const note = Buffer.from('Exif\0\0 taken at 41.3874 N 2.1686 E', 'latin1')
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, note.length + 2])
  return Buffer.concat([head, note, Buffer.from(plain).subarray(2)])
}

function watchPictures(): void {
  const page = globalThis as unknown as { pictures: Blob[] }
  page.pictures = []
  const make = URL.createObjectURL.bind(URL)
  URL.createObjectURL = (what) => {
    if (what instanceof Blob) page.pictures.push(what)
    return make(what)
  }
}

async function picturesSeen(): Promise<number[][]> {
  const { pictures } = globalThis as unknown as { pictures: Blob[] }
  return Promise.all(pictures.map(async (one) => [...new Uint8Array(await one.arrayBuffer())]))
}
