import type { Linking } from '#app/face.ts'
import type { Strings } from '../strings/en.ts'

/** What a link is at, as the head of its pane says it. */
export function linkTitle(t: Strings['linking'], linking: Linking, first: string): string {
  if (linking.state === 'comparing') return t.compareTitle
  if (linking.state === 'done') return t.doneTitle
  if (linking.state === 'failed') return t.failedTitle
  return first
}
