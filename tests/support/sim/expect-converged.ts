import { expect } from 'vitest'
import { converse, judge, storm } from './conversation.ts'

const MESSAGES = 300

export async function expectConverged(seed: number, messages = MESSAGES): Promise<void> {
  expect(judge(await converse(seed, storm(messages)), messages)).toEqual([])
}
