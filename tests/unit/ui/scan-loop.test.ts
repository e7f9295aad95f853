import { describe, expect, it } from 'vitest'
import { scanLoop } from '#ui/state/scan-loop.ts'

const none: readonly { rawValue: string }[] = []

/** A camera whose pictures are the codes in them. */
function camera(pictures: readonly (readonly string[] | undefined)[]) {
  let at = 0
  return {
    shown: () => at,
    picture: async () => {
      if (at >= pictures.length) throw new Error('gone')
      return pictures[at++]
    },
  }
}
const detector = { detect: async (codes: readonly string[]) => codes.map((rawValue) => ({ rawValue })) }

describe('[C-12] scanning', () => {
  it('takes the first code that says anything, and looks no further', async () => {
    const pictures = camera([undefined, [], [''], ['https://stave.example/i#1.a'], ['another']])
    expect(await scanLoop(pictures, detector, new AbortController().signal)).toBe('https://stave.example/i#1.a')
    expect(pictures.shown()).toBe(4)
  })

  it('goes on after a picture that can’t be looked at, and ends with a camera that is gone', async () => {
    let failures = 0
    const shaky = {
      detect: async (codes: readonly string[]) => {
        if (failures++ < 2) throw new Error('blurred')
        return codes.map((rawValue) => ({ rawValue }))
      },
    }
    expect(await scanLoop(camera([['a'], ['b'], ['c']]), shaky, new AbortController().signal)).toBe('c')
    await expect(scanLoop(camera([[]]), detector, new AbortController().signal)).rejects.toThrow('gone')
  })

  it('stops when it is told to: what was being looked at then says nothing any more', async () => {
    const stop = new AbortController()
    const late = {
      detect: async (codes: readonly string[]) => {
        stop.abort()
        return codes.map((rawValue) => ({ rawValue }))
      },
    }
    expect(await scanLoop(camera([['too late'], ['later']]), late, stop.signal)).toBeUndefined()
    const before = camera([['never']])
    const stopped = new AbortController()
    stopped.abort()
    expect(await scanLoop(before, { detect: async () => none }, stopped.signal)).toBeUndefined()
    expect(before.shown()).toBe(0)
  })
})
