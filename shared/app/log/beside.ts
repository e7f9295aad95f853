import type { HistoryLine } from './blocks.ts'

/** Places between two numbers: as many as a message id tells apart. */
const STEPS = 2 ** 20

/**
 * A relay that told two stories has put two messages at one place (C-06): the second stands right behind the first, where its
 * id says, so that it is found there again.
 */
export function beside(order: number, messageId: Uint8Array): number {
  const [a = 0, b = 0, c = 0] = messageId
  return Math.floor(order) + (1 + ((a * 65_536 + b * 256 + c) % STEPS)) / (STEPS + 2)
}

export function besideOf({ order, line }: HistoryLine): HistoryLine {
  return { order: beside(order, line.messageId), line }
}
