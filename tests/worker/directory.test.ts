import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { sha256 } from '#core/crypto/hash.ts'
import { labels } from '#core/crypto/labels.ts'
import { systemDice } from '#core/crypto/random.ts'
import { signingKeyFromSeed } from '#core/crypto/sign.ts'
import { hashToken } from '#core/crypto/tokens.ts'
import { signClaim } from '#core/identity/invitation.ts'
import { signManifest } from '#core/identity/manifest.ts'
import type { AccountId, InvitationId, Token, TokenHash } from '#core/wire/ids.ts'
import type { Directory } from '../../worker/objects/directory.ts'
import { relayEnv, WireClient } from './wire-client.ts'

const HOUR_MS = 3_600_000
const directories = (env as unknown as { DIRECTORY: DurableObjectNamespace<Directory> }).DIRECTORY
let client: WireClient

beforeEach(async () => {
  client = await WireClient.connect()
})

function newInvitation(lifetimeMs = 24 * HOUR_MS) {
  const token = systemDice(32) as Token
  const tokenHash = hashToken<TokenHash>(labels.invitationToken, token)
  const put = {
    id: systemDice(16) as InvitationId,
    blob: systemDice(512),
    expiresAtMs: Date.now() + lifetimeMs,
    tokenHash,
  }
  return { token, put }
}

async function claimFor(id: InvitationId) {
  const key = await signingKeyFromSeed(systemDice(32))
  return { id, claimKey: key.publicKey, signature: await signClaim(id, key) }
}

function shardOf(id: InvitationId): DurableObjectStub<Directory> {
  return directories.get(directories.idFromName(`invitations/${(sha256(id)[0] ?? 0) % 16}`))
}

describe('invitations', () => {
  it('[C-12] are claimed once; the same claimer gets the same answer again, anybody else hears used', async () => {
    const { put } = newInvitation()
    await client.call('invitation.put', put)
    await client.call('invitation.put', put)
    const claim = await claimFor(put.id)
    expect((await client.call('invitation.claim', claim)).blob).toEqual(put.blob)
    expect((await client.call('invitation.claim', claim)).blob).toEqual(put.blob)
    const other = client.call('invitation.claim', await claimFor(put.id))
    await expect(other).rejects.toMatchObject({ code: 'invitation/used', retryable: false })
  })

  it('[C-12] a claim must be signed by its claim key, over this invitation', async () => {
    const { put } = newInvitation()
    await client.call('invitation.put', put)
    const foreign = await claimFor(systemDice(16) as InvitationId)
    const claim = client.call('invitation.claim', { ...foreign, id: put.id })
    await expect(claim).rejects.toMatchObject({ code: 'invitation/signature' })
    expect((await client.call('invitation.claim', await claimFor(put.id))).blob).toEqual(put.blob)
  })

  it('[C-12] unknown, revoked, expired and used are told apart', async () => {
    const { put, token } = newInvitation()
    const claim = async () => client.call('invitation.claim', await claimFor(put.id))
    await expect(claim()).rejects.toMatchObject({ code: 'invitation/unknown' })
    await client.call('invitation.put', put)
    const stranger = client.call('invitation.revoke', { id: put.id, token: systemDice(32) as Token })
    await expect(stranger).rejects.toMatchObject({ code: 'invitation/refused' })
    await client.call('invitation.revoke', { id: put.id, token })
    await client.call('invitation.revoke', { id: put.id, token })
    await expect(claim()).rejects.toMatchObject({ code: 'invitation/revoked' })

    const used = newInvitation()
    await client.call('invitation.put', used.put)
    await client.call('invitation.claim', await claimFor(used.put.id))
    const late = client.call('invitation.revoke', { id: used.put.id, token: used.token })
    await expect(late).rejects.toMatchObject({ code: 'invitation/used' })
  })

  it('[C-12] at its end the blob is deleted, and the claimer of then hears expired', async () => {
    const { put } = newInvitation(2 * HOUR_MS)
    await client.call('invitation.put', put)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * HOUR_MS })
    try {
      const late = client.call('invitation.claim', await claimFor(put.id))
      await expect(late).rejects.toMatchObject({ code: 'invitation/expired' })
      expect(await runDurableObjectAlarm(shardOf(put.id))).toBe(true)
      await runInDurableObject(shardOf(put.id), (_, state) => {
        const row = state.storage.sql.exec('SELECT blob, expires_at FROM invitations WHERE id = ?', put.id).one()
        expect(row.blob).toBeNull()
        expect(Number(row.expires_at) % HOUR_MS).toBe(0)
      })
    } finally {
      vi.useRealTimers()
    }
  })

  it('refuses lifetimes over two weeks or in the past, and blobs of no bucket', async () => {
    const long = client.call('invitation.put', newInvitation(16 * 24 * HOUR_MS).put)
    await expect(long).rejects.toMatchObject({ code: 'invitation/lifetime' })
    const past = client.call('invitation.put', newInvitation(-1).put)
    await expect(past).rejects.toMatchObject({ code: 'invitation/lifetime' })
    const odd = client.call('invitation.put', { ...newInvitation().put, blob: new Uint8Array(500) })
    await expect(odd).rejects.toMatchObject({ code: 'invitation/size' })
  })
})

describe('accounts', () => {
  async function newRoot() {
    const root = await signingKeyFromSeed(systemDice(32))
    const account = root.publicKey as AccountId
    return { account, sign: (sequence: number) => signManifest({ account, sequence, devices: [] }, root) }
  }

  it('[K-05] keep the newest manifest that the root signed', async () => {
    const { account, sign } = await newRoot()
    expect(await client.call('account.get', { account })).toEqual({})
    const second = await sign(2)
    await client.call('account.put', { manifest: second })
    await client.call('account.put', { manifest: second })
    const older = client.call('account.put', { manifest: await sign(1) })
    await expect(older).rejects.toMatchObject({ code: 'manifest/older', detail: { sequence: 2 } })
    const third = await sign(3)
    await client.call('account.put', { manifest: third })
    expect((await client.call('account.get', { account })).manifest).toEqual(third)
  })

  it('[K-05] refuse a signature that is not the root’s', async () => {
    const manifest = await (await newRoot()).sign(1)
    const spoiled = manifest.map((byte, i) => (i === manifest.length - 1 ? byte ^ 1 : byte))
    const put = client.call('account.put', { manifest: spoiled })
    await expect(put).rejects.toMatchObject({ code: 'manifest/signature', retryable: false })
  })

  it('[R-02] a closed realm takes no new account, and keeps those that it has', async () => {
    const realm = relayEnv.REALM.get(relayEnv.REALM.idFromName('realm'))
    const { sign } = await newRoot()
    await client.call('account.put', { manifest: await sign(1) })
    await realm.change({ signUp: 'closed' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    try {
      const put = client.call('account.put', { manifest: await (await newRoot()).sign(1) })
      await expect(put).rejects.toMatchObject({ code: 'realm/closed' })
      await client.call('account.put', { manifest: await sign(2) })
    } finally {
      await realm.change({ signUp: 'open' })
      vi.useRealTimers()
    }
  })
})
