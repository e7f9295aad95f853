import { describe, expect, it } from 'vitest'
import { Turns } from '#app/turns.ts'

function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('turns', () => {
  it('[U-04] run one at a time for a name, in order, and side by side for two', async () => {
    const turns = new Turns()
    const log: string[] = []
    const held = gate()
    const first = turns.run('a', async () => {
      log.push('a1')
      await held.opened
      log.push('a1 done')
    })
    const second = turns.run('a', async () => log.push('a2'))
    await turns.run('b', async () => log.push('b1'))
    expect(log).toEqual(['a1', 'b1'])
    held.open()
    await Promise.all([first, second])
    expect(log).toEqual(['a1', 'b1', 'a1 done', 'a2'])
  })

  it('go on after one that failed, whose caller is told; idle waits for those that others added', async () => {
    const turns = new Turns()
    const log: string[] = []
    await expect(
      turns.run('a', async () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    void turns.run('a', async () => {
      log.push('one')
      void turns.run('b', async () => log.push('two'))
    })
    await turns.idle()
    expect(log).toEqual(['one', 'two'])
  })
})
