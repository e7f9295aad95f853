import type { ChannelRecord } from '../ports/records.ts'

/** This account was in it and is no more: whoever adds it again brings it back, and what was said stays. */
export function isOut({ left, pausedBy, shut }: Pick<ChannelRecord, 'left' | 'pausedBy' | 'shut'>): boolean {
  return left !== undefined || pausedBy === 'removed' || shut === true
}
