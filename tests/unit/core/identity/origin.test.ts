import { describe, expect, it } from 'vitest'
import { originOf } from '#core/identity/origin.ts'

describe('origin of a realm', () => {
  it('[INV1] is an origin and nothing more', () => {
    expect(originOf('https://stave.example')).toBe('https://stave.example')
    expect(originOf('stave.example:8443')).toBe('https://stave.example:8443')
    expect(originOf('https://stave.example/')).toBe('https://stave.example')
    for (const more of ['https://a@stave.example', 'https://:b@stave.example', 'https://stave.example/path']) {
      expect(originOf(more)).toBeUndefined()
    }
    for (const more of ['https://stave.example?q', 'https://stave.example/#x', 'wss://stave.example', '', 'a b']) {
      expect(originOf(more)).toBeUndefined()
    }
  })

  it('[INV1] is http on this machine and private networks only', () => {
    for (const host of [
      'localhost',
      'a.localhost',
      '127.9.9.9',
      '10.1.1.1',
      '172.16.0.1',
      '192.168.0.1',
      '169.254.1.1',
    ]) {
      expect(originOf(`http://${host}:81`)).toBe(`http://${host}:81`)
    }
    for (const host of [
      '172.15.0.1',
      '172.32.0.1',
      '192.169.0.1',
      '100.63.0.1',
      '100.128.0.1',
      '11.0.0.1',
      '[2001:db8::1]',
    ]) {
      expect(originOf(`http://${host}`)).toBeUndefined()
    }
    expect(originOf('http://2130706433')).toBe('http://127.0.0.1') // one IPv4 address in another spelling
    for (const host of ['localhost.example', 'notlocalhost', 'xlocal', '10.0.0.1.example']) {
      expect(originOf(`http://${host}`)).toBeUndefined()
    }
  })
})
