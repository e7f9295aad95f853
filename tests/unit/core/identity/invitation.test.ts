import { describe, expect, it } from 'vitest'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { CryptoError, InputError, UsageError, WireError } from '#core/errors.ts'
import {
  encodeInvitationLink,
  openInvitation,
  readInvitationLink,
  sealInvitation,
  signClaim,
  verifyClaim,
} from '#core/identity/invitation.ts'
import { isBucket } from '#core/padding/buckets.ts'
import type { InvitationId } from '#core/wire/ids.ts'

const id = new Uint8Array(16).fill(2) as InvitationId
const secret = new Uint8Array(32).fill(3)
const parts = { origin: 'https://stave.example', realmKey: new Uint8Array(32).fill(1), id, secret }
const link = encodeInvitationLink(parts)
const fragment = link.slice(link.indexOf('#'))

describe('invitation link', () => {
  it('[C-12] carries everything but the origin in the fragment', () => {
    const url = new URL(link)
    expect(`${url.origin}${url.pathname}${url.search}`).toBe('https://stave.example/i')
    expect(readInvitationLink(link)).toEqual(parts)
  })

  it.each([
    ['white space', ` \n\t${link}\r\n`],
    ['angle brackets', `<${link}>`],
    ['text before and after', `Come and talk to me: ${link}. See you there!`],
    ['text glued before it', `点击${link}`],
    ['quotes', `"${link}"`],
    ['no scheme', link.slice('https://'.length)],
    ['no scheme, in a sentence', `try (${link.slice('https://'.length)}) now`],
    ['zero-width characters', `\ufeff${link.replace('.', '.\u200b')}\u200b`],
    ['capitals in scheme and host', link.replace('https://stave.example', 'HTTPS://Stave.Example')],
    ['a slash after the path', link.replace('/i#', '/i/#')],
    ['its default port', link.replace('.example', '.example:443')],
  ])('[C-12] is found with %s', (_form, text) => {
    expect(readInvitationLink(text)).toEqual(parts)
  })

  it.each([
    ['https://stave.example:8443', 'https://stave.example:8443'],
    ['http://localhost:8787', 'http://localhost:8787'],
    ['localhost:8787', 'http://localhost:8787'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://192.168.1.20', 'http://192.168.1.20'],
    ['10.0.0.5:8080', 'http://10.0.0.5:8080'],
    ['http://172.31.0.1', 'http://172.31.0.1'],
    ['http://100.64.0.1', 'http://100.64.0.1'],
    ['http://[::1]:8787', 'http://[::1]:8787'],
    ['http://[fd12:3456::1]', 'http://[fd12:3456::1]'],
    ['http://nas.local', 'http://nas.local'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('[C-12] %s is a realm', (given, origin) => {
    expect(readInvitationLink(`${given}/i${fragment}`).origin).toBe(origin)
    expect(encodeInvitationLink({ ...parts, origin })).toBe(`${origin}/i${fragment}`)
  })

  it.each([
    ['no link', 'hello'],
    ['nothing', ''],
    ['plain http to a public host', `http://stave.example/i${fragment}`],
    ['public addresses that look private', `http://172.32.0.1/i${fragment}`],
    ['a host that only begins privately', `http://10.0.0.1.evil.example/i${fragment}`],
    ['a host that only begins locally', `http://localhost.evil.example/i${fragment}`],
    ['another scheme', `ftp://stave.example/i${fragment}`],
    ['another path', `https://stave.example/else${fragment}`],
    ['a deeper path', `https://stave.example/deep/i${fragment}`],
    ['a user before the host', `https://stave.example@evil.example/i${fragment}`],
    ['a query', `https://stave.example/i?x=1${fragment}`],
    ['no host', `https:///i${fragment}`],
    ['a bad port', `https://stave.example:99999/i${fragment}`],
    ['a version that is no number', `https://stave.example/i#x${fragment.slice(2)}`],
    ['a field too many', `${link}.AAAA`],
    ['a field too long', `${link}A`],
    ['spare bits that are set', `${link.slice(0, -1)}B`],
    ['fields in a query', link.replace('#', '?')],
  ])('[C-12] refuses %s', (_what, text) => {
    expect(refusal(text)).toBe('invitation/not-a-link')
  })

  it('[C-12] says of a cut link that it is cut, wherever the cut is', () => {
    for (let end = link.indexOf('#') + 1; end < link.length; end++) {
      expect(refusal(link.slice(0, end))).toBe('invitation/truncated')
    }
  })

  it('[C-12] says of a later version that it is one', () => {
    expect(refusal(link.replace('#1.', '#2.'))).toBe('invitation/version')
    expect(refusal('https://stave.example/i#12.whatever')).toBe('invitation/version')
  })

  it('[K-04] errors name no part of the link', () => {
    for (const text of [link.slice(0, -1), `${link}A`, `http://stave.example/i${fragment}`]) {
      try {
        readInvitationLink(text)
        expect.unreachable()
      } catch (error) {
        expect(error).toBeInstanceOf(InputError)
        expect(JSON.stringify([String(error), (error as InputError).detail])).not.toMatch(/stave\.example|AQEB|AwMD/)
      }
    }
  })

  it('[C-12] only origins go into a link', () => {
    for (const origin of [
      'https://stave.example/',
      'http://stave.example',
      'stave.example',
      'https://a@b.example',
      '',
    ]) {
      expect(() => encodeInvitationLink({ ...parts, origin })).toThrow(UsageError)
    }
  })

  it('[I-10] a long text without end costs little', () => {
    const before = process.cpuUsage()
    expect(refusal('a'.repeat(1_000_000))).toBe('invitation/not-a-link')
    expect(refusal(`${'a'.repeat(1_000_000)}/i#${'1'.repeat(1_000_000)}`)).toBe('invitation/not-a-link')
    expect(refusal('/i'.repeat(500_000))).toBe('invitation/not-a-link')
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000) // CPU time: a busy machine is no failure
  })
})

describe('invitation blob and claim', () => {
  const content = new TextEncoder().encode('offer')

  it('[C-12] opens with the secret of its own link only', async () => {
    const blob = await sealInvitation(secret, id, content)
    expect(isBucket(blob.length)).toBe(true)
    expect(await openInvitation(secret, id, blob)).toEqual(content)
    await expect(openInvitation(secret.with(0, 0), id, blob)).rejects.toThrow('invitation/open')
    await expect(openInvitation(secret, id.with(0, 0) as InvitationId, blob)).rejects.toThrow(CryptoError)
    await expect(openInvitation(secret, id, blob.with(0, 2))).rejects.toThrow('invitation/blob-version')
    await expect(openInvitation(secret, id, blob.slice(0, 20))).rejects.toThrow(WireError)
    await expect(openInvitation(secret, id, new Uint8Array(200_000).fill(1))).rejects.toThrow('invitation/too-large')
    for (const at of [1, 12, 13, 100, 255]) {
      await expect(openInvitation(secret, id, blob.with(at, (blob[at] ?? 0) ^ 1))).rejects.toThrow(CryptoError)
    }
  })

  it('[INV5] a claim is by its key and for its invitation', async () => {
    const claimKey = await signingKeyFromSeed(new Uint8Array(32).fill(4))
    const other = await signingKeyFromSeed(new Uint8Array(32).fill(5))
    const signature = await signClaim(id, claimKey)
    expect(await verifyClaim(id, claimKey.publicKey, signature)).toBe(true)
    expect(await verifyClaim(id, other.publicKey, signature)).toBe(false)
    expect(await verifyClaim(id.with(0, 0) as InvitationId, claimKey.publicKey, signature)).toBe(false)
    expect(await verifyClaim(id, claimKey.publicKey, signature.with(63, 1))).toBe(false)
  })
})

function refusal(text: string): string {
  try {
    readInvitationLink(text)
  } catch (error) {
    if (error instanceof InputError) return error.code
    throw error
  }
  return 'none'
}
