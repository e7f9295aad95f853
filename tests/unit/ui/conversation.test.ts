import { describe, expect, it } from 'vitest'
import type { Line } from '#app/face.ts'
import { StoreError } from '#core/errors.ts'
import { createConversation } from '#ui/state/conversation.ts'
import { MAX_SHOWN, PAGE } from '#ui/state/merge-lines.ts'
import { MemoryFace } from '../../support/memory-face.ts'

function theirs(count: number): Line[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `l${index + 1}`,
    order: index + 1,
    atMs: index,
    author: { id: 'them', name: 'Them', mine: false },
    kind: 'text',
    text: `text ${index + 1}`,
    state: 'sent',
  }))
}

async function opened(lines: readonly Line[], readUpTo = lines.length) {
  const face = new MemoryFace()
  face.addChannel('c', 'Them', lines, { readUpTo })
  const heard: string[] = []
  const conversation = createConversation(face, 'c', {
    arrived: (name, text) => heard.push(`${name}: ${text}`),
    progressed: (state) => heard.push(state),
  })
  face.subscribe((change) => {
    if (change.what === 'lines') conversation.refresh()
  })
  await conversation.open()
  const texts = () => conversation.shown.value.map((line) => (line.kind === 'text' ? line.text : line.kind))
  return { face, conversation, heard, texts }
}

/** Everything in memory answers within a few turns. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('an open conversation', () => {
  it('[U-02] shows the newest page first and older ones when asked', async () => {
    const { conversation, texts } = await opened(theirs(PAGE + 20))
    expect(texts()).toHaveLength(PAGE)
    expect(conversation.hasOlder.value).toBe(true)
    await conversation.loadOlder()
    expect(texts()[0]).toBe('text 1')
    expect(conversation.hasOlder.value).toBe(false)
  })

  it('[FACE] never puts more than a bounded number of lines on the page, and comes back to the newest', async () => {
    const { conversation, texts } = await opened(theirs(1000))
    for (let turn = 0; turn < 30; turn++) await conversation.loadOlder()
    expect(texts()).toHaveLength(MAX_SHOWN)
    expect(texts()[0]).toBe('text 1')
    for (let turn = 0; turn < 30; turn++) conversation.loadNewer()
    expect(texts().at(-1)).toBe('text 1000')
  })

  it('[FACE] what arrives while somebody reads far above does not move the page', async () => {
    const { face, conversation, texts } = await opened(theirs(1000))
    for (let turn = 0; turn < 12; turn++) await conversation.loadOlder()
    const before = texts()
    face.arrive('c', 'new')
    await settled()
    expect(texts()).toEqual(before)
    expect(conversation.newCount.value).toBe(1)
    conversation.showLatest()
    expect(texts().at(-1)).toBe('new')
  })

  it('[FACE] the unread line has its place when the channel opens and keeps it while it is read', async () => {
    const { face, conversation } = await opened(theirs(10), 6)
    expect(conversation.unreadAfter.value).toBe(6)
    conversation.watch(true)
    await settled()
    expect(face.calls).toContain('markRead 10')
    expect(conversation.unreadAfter.value).toBe(6)
    expect(conversation.newCount.value).toBe(0)
  })

  it('[FACE] all that is unread comes along, so that its line has a place', async () => {
    const { texts } = await opened(theirs(220), 100)
    expect(texts()[0]).toSatisfy((text: string) => Number(text.split(' ')[1]) <= 101)
  })

  it('[U-01] what arrives while somebody looks is read at once; while nobody looks, it gets the unread line', async () => {
    const { face, conversation } = await opened(theirs(3))
    conversation.watch(true)
    face.arrive('c', 'seen')
    await settled()
    conversation.watch(true)
    expect(face.calls).toContain('markRead 4')
    expect(conversation.unreadAfter.value).toBeUndefined()
    conversation.watch(false)
    face.arrive('c', 'not seen')
    await settled()
    expect(face.calls).not.toContain('markRead 5')
    expect(conversation.unreadAfter.value).toBe(4)
  })

  it('[FACE] a message is on screen before anything was stored, and once when it is', async () => {
    const { face, conversation, texts } = await opened(theirs(1))
    conversation.setDraft('hello')
    const sending = conversation.send('hello', 5)
    expect(texts()).toEqual(['text 1', 'hello'])
    expect(conversation.draft.value).toBe('')
    const seen: string[][] = []
    const stop = conversation.shown.subscribe(() => seen.push(texts().filter((text) => text === 'hello')))
    await sending
    stop()
    expect(seen.every((hellos) => hellos.length === 1)).toBe(true)
    expect(conversation.shown.value.at(-1)).toMatchObject({ text: 'hello', state: 'waiting' })
    face.progress('c', 'sent')
    await settled()
    expect(conversation.shown.value.at(-1)).toMatchObject({ state: 'sent' })
  })

  it('[U-03] the same text twice is two messages', async () => {
    const { conversation, texts } = await opened([])
    await Promise.all([conversation.send('same', 1), conversation.send('same', 2)])
    expect(texts()).toEqual(['same', 'same'])
  })

  it('[U-07] what could not be stored is back in the composer, with what was written since', async () => {
    const { face, conversation, texts } = await opened([])
    face.nextErrors.set('sendText', new StoreError('store/full'))
    const sending = conversation.send('first', 1)
    conversation.setDraft('second')
    await sending
    expect(conversation.problem.value).toMatchObject({ code: 'store/full' })
    expect(texts()).toEqual([])
    expect(conversation.draft.value).toBe('first\nsecond')
  })

  it('[M-10] a message that could not go out is tried again, or taken back into the composer', async () => {
    const { face, conversation, texts, heard } = await opened([])
    await conversation.send('stuck', 1)
    face.progress('c', 'failed', 'quota/rate')
    await settled()
    expect(heard).toEqual(['failed'])
    const line = conversation.shown.value[0]
    if (line?.kind !== 'text') throw new Error('no line')
    await conversation.retry(line.id)
    expect(conversation.shown.value[0]).toMatchObject({ state: 'waiting' })
    face.progress('c', 'failed')
    await settled()
    await conversation.discard(line)
    expect(texts()).toEqual([])
    expect(conversation.draft.value).toBe('stuck')
  })

  it('[U-05] tells a screen reader what came and how far one’s own messages have come', async () => {
    const { face, conversation, heard } = await opened(theirs(2))
    face.arrive('c', 'hi')
    await settled()
    await conversation.send('yo', 9)
    face.progress('c', 'delivered')
    await settled()
    expect(heard).toEqual(['Them: hi', 'delivered'])
  })

  it('[M-02] a draft is kept when somebody goes elsewhere', async () => {
    const { face, conversation } = await opened([])
    conversation.setDraft('half a')
    conversation.close()
    expect(face.channelsById.get('c')?.draft).toBe('half a')
  })

  it('[U-03] a text is its draft until it is stored as a message: a window that is shut in between takes nothing along', async () => {
    const { face, conversation } = await opened([])
    conversation.setDraft('on my way')
    conversation.close()
    const sending = conversation.send('on my way', 3)
    expect(face.calls.indexOf('saveDraft'), 'the text').toBe(face.calls.lastIndexOf('saveDraft'))
    await sending
    expect(face.calls.lastIndexOf('saveDraft'), 'and that there is none').toBeGreaterThan(
      face.calls.indexOf('sendText'),
    )
    expect(face.channelsById.get('c')?.draft).toBe('')
  })

  it('[U-04] more than a page may have arrived in between: nothing is left out', async () => {
    const { face, conversation, texts } = await opened(theirs(60))
    const channel = face.channelsById.get('c')
    if (channel !== undefined) channel.lines = theirs(400)
    face.tell({ what: 'lines', channelId: 'c' })
    await settled()
    const numbers = conversation.stored.value?.map((line) => line.order) ?? []
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 400 - numbers.length + index + 1))
    expect(numbers[0]).toBeLessThanOrEqual(11)
    expect(texts().at(-1)).toBe('text 400')
  })
})
