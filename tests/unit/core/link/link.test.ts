import { describe, expect, it } from 'vitest'
import { wipe } from '#core/bytes/wipe.ts'
import { newXWingPair } from '#core/crypto/hpke-xwing.ts'
import { LINK_OPEN_MS } from '#core/link/closed.ts'
import { encodeLink, encodeTypedCode, readLinkCode } from '#core/link/code.ts'
import { holderPut } from '#core/link/holder.ts'
import { newcomerPut, offerLink, stepNewcomer } from '#core/link/newcomer.ts'
import { commitTo, receiveSecret, sendSecret, sessionOf } from '#core/link/session.ts'
import { decodeOffer, encodeKey, encodeNonce, encodeOffer, SLOTS } from '#core/link/slots.ts'
import { bytes, countingDice, device } from '../log/support.ts'
import { asking, confirmed, grantFor, Meeting, NOW_MS, ring } from './support.ts'

const realm = { origin: 'https://stave.example', realmKey: bytes(65) }
const shown = (keyHash: Uint8Array) => readLinkCode(encodeLink(keyHash, realm))
const typed = (keyHash: Uint8Array) => readLinkCode(encodeTypedCode(keyHash).toLowerCase())

describe('linking a device', () => {
  it.each([
    ['a link', shown],
    ['a typed code', typed],
  ])(
    '[K-06] by %s: twelve digits on both screens, confirmed on both, and the account is on the new device',
    async (_, read) => {
      const meeting = await Meeting.begin(1, read)
      await meeting.run()
      const [there, here] = meeting.digits()
      expect(there).toMatch(/^\d{12}$/)
      expect(here).toBe(there)

      await meeting.tellNewcomer(confirmed)
      await meeting.run()
      expect(meeting.holder.at, 'not confirmed here yet').toBe('comparing')
      await meeting.tellHolder({ type: 'confirmed' })
      expect(meeting.holder).toMatchObject({ at: 'authorizing', device: asking })

      await meeting.tellHolder({ type: 'authorized', grant: await grantFor(asking) })
      await meeting.run()
      expect(meeting.newcomer).toMatchObject({ at: 'granted', checked: { ring, grant: { name: 'Ann' } } })
    },
  )

  it('[K-06] whoever confirms first, nothing is asked or authorized on one confirmation', async () => {
    const meeting = await Meeting.begin(2)
    await meeting.run()
    await meeting.tellHolder({ type: 'confirmed' })
    await meeting.run()
    expect(meeting.holder.at).toBe('comparing')
    expect([...meeting.slots.keys()].sort()).toEqual([0, 1, 2, 3])
    await meeting.tellNewcomer(confirmed)
    await meeting.run()
    expect(meeting.holder.at).toBe('authorizing')
  })

  it('[K-06] every meeting has other digits', async () => {
    const seen = new Set<string | undefined>()
    for (let seed = 10; seed < 16; seed++) {
      const meeting = await Meeting.begin(seed)
      await meeting.run()
      seen.add(meeting.digits()[0])
    }
    expect(seen.size).toBe(6)
  })

  it('[LNK4] what is put is the same whenever it is put again', async () => {
    const meeting = await Meeting.begin(3)
    await meeting.run((slot, b) => (slot === SLOTS.nonceN ? undefined : b))
    expect(newcomerPut(meeting.newcomer)).toEqual(newcomerPut(meeting.newcomer))
    expect(holderPut(meeting.holder)).toEqual(holderPut(meeting.holder))
    await meeting.run()
    await meeting.tellNewcomer(confirmed)
    expect(newcomerPut(meeting.newcomer)).toEqual(newcomerPut(meeting.newcomer))
  })
})

describe('a relay between them', () => {
  it('[LNK3] that puts its own key in the place of the new one is seen by whoever read the code', async () => {
    for (const read of [shown, typed]) {
      const meeting = await Meeting.begin(20, read)
      const own = await newXWingPair(countingDice(21))
      await meeting.run((slot, b) => (slot === SLOTS.key ? encodeKey(own.publicKey) : b))
      expect(meeting.holder).toMatchObject({ at: 'closed', why: 'refused', cause: { code: 'link/key' } })
    }
  })

  it('[LNK5] that plays the holder to the new device has other digits there than here', async () => {
    const meeting = await Meeting.begin(22)
    let mine: Uint8Array | undefined
    const nonceH = bytes(70)
    const first = newcomerPut(meeting.newcomer)
    const publicKey = first?.bytes.slice(2) ?? new Uint8Array()
    const { enc } = await sendSecret(publicKey, countingDice(23))
    await meeting.run((slot, b) => {
      if (slot === SLOTS.offer) mine = encodeOffer({ enc, commitment: commitTo(nonceH, publicKey, enc) })
      if (slot === SLOTS.nonceH) return encodeNonce(SLOTS.nonceH, nonceH)
      return slot === SLOTS.offer ? mine : b
    })
    const [there, here] = meeting.digits()
    expect(there).toMatch(/^\d{12}$/)
    expect(here).toMatch(/^\d{12}$/)
    expect(there).not.toBe(here)
  })

  it('[LNK5] that shows another nonce than it committed to is refused', async () => {
    const meeting = await Meeting.begin(24)
    await meeting.run((slot, b) => (slot === SLOTS.nonceH ? encodeNonce(SLOTS.nonceH, bytes(71)) : b))
    expect(meeting.newcomer).toMatchObject({ at: 'closed', why: 'refused', cause: { code: 'link/commitment' } })
  })

  it('[LNK5] that changes a nonce or the wrapped secret on the way is seen', async () => {
    const nonce = await Meeting.begin(25)
    await nonce.run((slot, b) => (slot === SLOTS.nonceN ? b.with(9, (b[9] ?? 0) ^ 1) : b))
    const [there, here] = nonce.digits()
    expect(there).not.toBe(here)
    const wrapping = await Meeting.begin(26)
    await wrapping.run((slot, b) => (slot === SLOTS.offer ? b.with(20, (b[20] ?? 0) ^ 1) : b))
    expect(wrapping.newcomer, 'the commitment names enc').toMatchObject({ why: 'refused' })
  })

  it('[LNK4] that reorders slots is refused', async () => {
    const meeting = await Meeting.begin(27)
    await meeting.run((slot, b) => (slot === SLOTS.nonceN ? undefined : b))
    const own = newcomerPut(meeting.newcomer)?.bytes ?? new Uint8Array()
    await meeting.tellNewcomer({ type: 'received', slot: SLOTS.nonceH, bytes: own })
    expect(meeting.newcomer, 'its own nonce sent back').toMatchObject({ why: 'refused', cause: { code: 'link/slot' } })

    const late = await Meeting.begin(28)
    await late.run()
    await late.tellNewcomer(confirmed)
    await late.run()
    const ask = late.slots.get(SLOTS.ask) ?? new Uint8Array()
    await late.tellNewcomer({ type: 'received', slot: SLOTS.grant, bytes: ask.with(1, SLOTS.grant) })
    expect(late.newcomer, 'its own request as the answer').toMatchObject({ cause: { code: 'aead/open' } })
  })

  it('[LNK4] that gives a slot before its turn is not listened to', async () => {
    const meeting = await Meeting.begin(29)
    await meeting.tellNewcomer({ type: 'received', slot: SLOTS.grant, bytes: bytes(1) })
    await meeting.tellNewcomer({ type: 'received', slot: SLOTS.nonceH, bytes: bytes(1) })
    await meeting.tellHolder({ type: 'received', slot: SLOTS.ask, bytes: bytes(1) })
    expect([meeting.newcomer.at, meeting.holder.at]).toEqual(['offered', 'waiting'])
  })

  it('[K-06] that replays a meeting gets nothing from a new one', async () => {
    const old = await Meeting.begin(30)
    await old.run()
    await old.tellNewcomer(confirmed)
    await old.tellHolder({ type: 'confirmed' })
    await old.run()
    await old.tellHolder({ type: 'authorized', grant: await grantFor(asking) })
    await old.run()
    expect(old.newcomer.at).toBe('granted')

    const again = await Meeting.begin(31)
    await again.run((slot, b) => (slot === SLOTS.offer ? old.slots.get(slot) : b))
    expect(again.newcomer, 'X-Wing rejects implicitly: the secrets differ').toMatchObject({ why: 'refused' })
    const holders = await Meeting.begin(32)
    await holders.run((slot, b) => (slot === SLOTS.key ? old.slots.get(slot) : b))
    expect(holders.holder).toMatchObject({ why: 'refused', cause: { code: 'link/key' } })
    const grants = await Meeting.begin(33)
    await grants.run()
    await grants.tellNewcomer(confirmed)
    await grants.tellHolder({ type: 'confirmed' })
    await grants.run()
    await grants.tellNewcomer({ type: 'received', slot: SLOTS.grant, bytes: old.slots.get(SLOTS.grant) ?? bytes(1) })
    expect(grants.newcomer).toMatchObject({ why: 'refused', cause: { code: 'aead/open' } })
  })

  it('[LNK6] that changes the request gets no certificate', async () => {
    const meeting = await Meeting.begin(34)
    await meeting.run()
    await meeting.tellNewcomer(confirmed)
    await meeting.tellHolder({ type: 'confirmed' })
    await meeting.run((slot, b) => (slot === SLOTS.ask ? b.with(40, (b[40] ?? 0) ^ 1) : b))
    expect(meeting.holder).toMatchObject({ why: 'refused', cause: { code: 'aead/open' } })
  })
})

describe('each side', () => {
  const compared = async (seed: number) => {
    const meeting = await Meeting.begin(seed)
    await meeting.run()
    return meeting
  }

  it('[LNK6] a device that asks for a key it does not have is refused', async () => {
    const meeting = await compared(40)
    await meeting.tellNewcomer({ ...confirmed, device: { ...asking, signatureKey: bytes(9) } })
    await meeting.run()
    expect(meeting.holder).toMatchObject({ why: 'refused', cause: { code: 'link/proof' } })
  })

  it.each([
    ['a certificate of another device', 'link/certificate', async () => grantFor({ ...asking, deviceId: device(8) })],
    ['a certificate of another key', 'link/certificate', async () => grantFor({ ...asking, signatureKey: bytes(8) })],
    ['a manifest with another HPKE key', 'link/manifest', async () => grantFor(asking, { hpkeKey: bytes(9) })],
    ['a ring that the root did not sign', 'link/key-ring', async () => grantFor(asking, { ringHash: bytes(9) })],
    ['a realm that is none', 'link/origin', async () => ({ ...(await grantFor(asking)), origin: 'https://a/b' })],
    ['a cut ring', 'reader/short', async () => ({ ...(await grantFor(asking)), keyRing: new Uint8Array([1, 2]) })],
  ])('[LNK7] the new device takes no %s', async (_, code, make) => {
    const meeting = await compared(41)
    await meeting.tellNewcomer(confirmed)
    await meeting.tellHolder({ type: 'confirmed' })
    await meeting.run()
    await meeting.tellHolder({ type: 'authorized', grant: await make() })
    await meeting.run()
    expect(meeting.newcomer).toMatchObject({ at: 'closed', why: 'refused', cause: { code } })
  })

  it('[LNK8] ends after ten minutes, wherever it is, and never goes on', async () => {
    for (const until of [0, 1, 2]) {
      const meeting = await Meeting.begin(50 + until)
      if (until > 0) await meeting.run((slot, b) => (until === 1 && slot === SLOTS.nonceN ? undefined : b))
      const late = { type: 'tick', nowMs: NOW_MS + LINK_OPEN_MS } as const
      await meeting.tellNewcomer({ ...late, nowMs: late.nowMs - 1 })
      await meeting.tellHolder({ ...late, nowMs: late.nowMs - 1 })
      expect([meeting.newcomer.at, meeting.holder.at]).not.toContain('closed')
      await meeting.tellNewcomer(late)
      await meeting.tellHolder(late)
      expect(meeting.newcomer).toEqual({ at: 'closed', why: 'expired' })
      expect(meeting.holder).toEqual({ at: 'closed', why: 'expired' })
      await meeting.run()
      await meeting.tellNewcomer(confirmed)
      await meeting.tellHolder({ type: 'confirmed' })
      expect([meeting.newcomer.at, meeting.holder.at]).toEqual(['closed', 'closed'])
    }
  })

  it('[LNK8] what is cancelled on one side ends on the other', async () => {
    const meeting = await compared(55)
    await meeting.tellHolder({ type: 'cancelled' })
    await meeting.tellNewcomer({ type: 'received', slot: SLOTS.cancelled, bytes: new Uint8Array([1, 7]) })
    expect([meeting.newcomer, meeting.holder]).toEqual(Array(2).fill({ at: 'closed', why: 'cancelled' }))
  })

  it('[LNK8] once it is authorized, a late cancel changes nothing: the manifest may be out', async () => {
    const meeting = await compared(56)
    await meeting.tellNewcomer(confirmed)
    await meeting.tellHolder({ type: 'confirmed' })
    await meeting.run()
    await meeting.tellHolder({ type: 'cancelled' })
    await meeting.tellHolder({ type: 'tick', nowMs: NOW_MS + 2 * LINK_OPEN_MS })
    expect(meeting.holder.at).toBe('authorizing')
  })

  it('[K-04] the one-time key is wiped with its use', async () => {
    const state = await offerLink(NOW_MS, countingDice(57))
    const { seed, publicKey } = state.pair
    const { enc } = await sendSecret(publicKey, countingDice(58))
    const put = encodeOffer({ enc, commitment: bytes(1) })
    const next = await stepNewcomer(state, { type: 'received', slot: SLOTS.offer, bytes: put }, countingDice(59))
    expect(next.at).toBe('answered')
    expect(seed).toEqual(new Uint8Array(32))
    const other = await offerLink(NOW_MS, countingDice(60))
    await stepNewcomer(other, { type: 'cancelled' }, countingDice(61))
    expect(other.pair.seed).toEqual(new Uint8Array(32))
  })

  it('[LNK5] both secrets are one only for the key that was used', async () => {
    const pair = await newXWingPair(countingDice(62))
    const { enc, secret } = await sendSecret(pair.publicKey, countingDice(63))
    expect(await receiveSecret(pair.seed, enc)).toEqual(secret)
    const heard = {
      publicKey: pair.publicKey,
      enc,
      commitment: commitTo(bytes(1), pair.publicKey, enc),
      nonceN: bytes(2),
      nonceH: bytes(1),
    }
    const session = sessionOf(heard, secret)
    expect(sessionOf({ ...heard, nonceN: bytes(3) }, secret).digits).not.toBe(session.digits)
    expect(session.askKey).not.toEqual(session.grantKey)
    wipe(secret)
    expect(decodeOffer(encodeOffer(heard))).toEqual({ enc, commitment: heard.commitment })
  })
})
