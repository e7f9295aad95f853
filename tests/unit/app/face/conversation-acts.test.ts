import { expect, it } from 'vitest'
import { conversationActs } from '#app/face/conversation-acts.ts'
import type { FaceDeps, FaceHands } from '#app/face/face-deps.ts'
import type { Intent } from '#app/ports/records.ts'
import { Seeded } from '../../../support/seeded.ts'

it('[U-04] what was written first is stored first, however long that takes; one that fails holds up none', async () => {
  const stored: string[] = []
  const gates: (() => void)[] = []
  const append = async (intent: Intent): Promise<void> => {
    const text = intent.intent === 'text' ? intent.text : intent.intent
    if (text === 'one') await new Promise<void>((open) => gates.push(open))
    if (text === 'two') throw new Error('full')
    stored.push(text)
  }
  const deps = { store: { append }, clock: { now: () => 0 }, dice: new Seeded(1).dice } as unknown as FaceDeps
  const hands = { announce: () => {}, wake: () => {}, tell: () => {} } as unknown as FaceHands
  const acts = conversationActs(deps, hands)
  const [one, two, three] = ['one', 'two', 'three'].map((text) => acts.sendText('c', text))
  await acts.sendText('d', 'elsewhere')
  expect(stored).toEqual(['elsewhere'])
  gates[0]?.()
  await Promise.all([one, expect(two).rejects.toThrow('full'), three])
  expect(stored).toEqual(['elsewhere', 'one', 'three'])
})
