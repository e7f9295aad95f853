import { toBase64url } from '#core/bytes/base64url.ts'

/**
 * What a wake's label stands for. Two channels may have one label: both have added this device by its last resort before it
 * was replaced (MLS10).
 */
export class ChannelLabels {
  readonly #channels = new Map<string, Set<string>>()

  add(label: Uint8Array, channelId: string): void {
    if (channelId === '') return // an invitation's: its mail tells what came of it
    const name = toBase64url(label)
    const known = this.#channels.get(name) ?? new Set()
    this.#channels.set(name, known.add(channelId))
  }

  of(label: Uint8Array): readonly string[] {
    return [...(this.#channels.get(toBase64url(label)) ?? [])]
  }

  clear(): void {
    this.#channels.clear()
  }
}
