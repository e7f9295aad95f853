/**
 * In a channel of more devices than this no commit leaves a state for those who come back (BCK6), and who has nothing to say
 * about a missing stretch says nothing (SEAM5): what everybody would do is a thousand messages there.
 */
export const MAX_DEVICES_OF_SMALL = 64

export function isLarge({ seats }: { readonly seats: readonly unknown[] }): boolean {
  return seats.length > MAX_DEVICES_OF_SMALL
}
