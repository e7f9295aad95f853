import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '#core/bytes/hex.ts'
import { CryptoError, InputError, StateError, WireError } from '#core/errors.ts'
import { decodeCertificate, verifyCertificate } from '#core/identity/certificate.ts'
import { readInvitationLink, verifyClaim } from '#core/identity/invitation.ts'
import { checkManifest } from '#core/identity/manifest.ts'
import { phraseToSeed } from '#core/keys/phrase.ts'
import { readPhrase } from '#core/keys/read-phrase.ts'
import { accountKeys } from '#core/keys/tree.ts'
import { unpad } from '#core/padding/padding.ts'
import type { AccountId, InvitationId } from '#core/wire/ids.ts'

/** Our own cases, frozen: a change of any layout or label shows here. One file, one case. */
type Case = {
  readonly rule: string
  readonly of: 'account-keys' | 'certificate' | 'manifest' | 'invitation-link' | 'invitation-claim' | 'padding'
  readonly expect: 'ok' | keyof typeof CLASSES
  readonly code?: string
  readonly given: Readonly<Record<string, string>>
  readonly gives?: Readonly<Record<string, string | number | boolean>>
}

const CLASSES = { wire: WireError, crypto: CryptoError, state: StateError, input: InputError } as const
const folder = resolve(import.meta.dirname, 'ours')
const names = readdirSync(folder).filter((name) => /^(keys|identity|padding)-.*\.json$/.test(name))
const cases = names.map((name): readonly [string, Case] => [
  name,
  JSON.parse(readFileSync(resolve(folder, name), 'utf8')),
])
const fromHex = (hex = '') => new Uint8Array(Buffer.from(hex, 'hex'))

describe('our own vectors: keys and identity', () => {
  it('are there', () => expect(cases.length).toBeGreaterThanOrEqual(14))

  it.each(cases)('%s', async (_name, vector) => {
    if (vector.expect === 'ok') {
      expect(await outcome(vector)).toEqual(vector.gives)
      return
    }
    const error = await outcome(vector).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(CLASSES[vector.expect])
    expect(error).toHaveProperty('code', vector.code)
  })
})

async function outcome({ of, given }: Case): Promise<Case['gives']> {
  switch (of) {
    case 'account-keys': {
      const read = readPhrase(given.phrase ?? '')
      if (!read.ok) throw new InputError(`phrase/${read.error}`)
      const seed = await phraseToSeed(read.words)
      const keys = await accountKeys(seed)
      return {
        seed: toHex(seed),
        account: toHex(keys.account),
        rootSeed: toHex(keys.rootSeed),
        phraseDoorSeed: toHex(keys.phraseDoorSeed),
        logAddressSecret: toHex(keys.logAddressSecret),
      }
    }
    case 'certificate': {
      const certificate = decodeCertificate(fromHex(given.certificate))
      return { holds: await verifyCertificate(certificate), sequence: certificate.sequence }
    }
    case 'manifest': {
      const seen = fromHex(given.seen)
      const highest = given.seen === undefined ? undefined : { sequence: Number(given.seenSequence), manifest: seen }
      const expected = given.account === undefined ? undefined : (fromHex(given.account) as AccountId)
      const manifest = await checkManifest(fromHex(given.manifest), expected, highest)
      return { sequence: manifest.sequence, devices: manifest.devices.length, vault: manifest.vault !== undefined }
    }
    case 'invitation-link': {
      const { origin, realmKey, id, secret } = readInvitationLink(given.text ?? '')
      return { origin, realmKey: toHex(realmKey), id: toHex(id), secret: toHex(secret) }
    }
    case 'invitation-claim': {
      const id = fromHex(given.id) as InvitationId
      return { holds: await verifyClaim(id, fromHex(given.claimKey), fromHex(given.signature)) }
    }
    case 'padding':
      return { content: toHex(unpad(fromHex(given.padded))) }
  }
}
