import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasWaiting } from '#app/log/note-line.ts'
import { fromBase64url } from '#core/bytes/base64url.ts'
import { decodeKeyRing, logAddressOf } from '#core/keys/key-ring.ts'
import { isBucket } from '#core/padding/buckets.ts'
import { type Relay, startRelay } from '../../scripts/relay.mjs'
import { delivered, introduce, makeNodePerson, type NodePerson } from '../support/node-person.ts'

const TEXTS = ['the meeting is at noon by the harbour', 'un mensaje con eñe y 👩‍👩‍👧', 'שלום לך מן הצד השני']
const NAMES = ['Marguerite Quickfoot', 'Bartholomew Longshanks']

/** After people met and talked, everything that the relay stored, said and was sent is searched for everything readable. */
describe('[I-01] the relay gets neither personal secrets nor plaintext', () => {
  const data = mkdtempSync(join(tmpdir(), 'stave-i01-'))
  const frames: Uint8Array[] = []
  const output: string[] = []
  const needles = new Map<string, Uint8Array>()
  let relay: Relay
  let people: NodePerson[] = []

  beforeAll(async () => {
    relay = await startRelay({ data, port: 0, onOutput: (chunk) => output.push(chunk) })
    people = await Promise.all(NAMES.map((name) => makeNodePerson(relay.url, name, (frame) => frames.push(frame))))
    const [a, b] = people as [NodePerson, NodePerson]
    const { ofInviter, ofClaimer } = await introduce(a, b)
    for (const text of TEXTS) {
      await a.face.sendText(ofInviter, text)
      await b.face.sendText(ofClaimer, `${text}, too`)
    }
    await Promise.all([delivered(a, ofInviter, TEXTS.length), delivered(b, ofClaimer, TEXTS.length)])
    await vi.waitFor(() => Promise.all(people.map(isLogged)), { timeout: 30_000 })
    for (const [i, person] of people.entries()) await collect(needles, `person ${i}`, person)
    for (const [i, text] of [...TEXTS, ...NAMES].entries()) {
      needles.set(`text ${i}`, Buffer.from(text, 'utf8'))
      needles.set(`text ${i} in UTF-16`, Buffer.from(text, 'utf16le'))
    }
    for (const person of people) person.stop()
    await relay.stop()
  }, 60_000)
  afterAll(() => rmSync(data, { recursive: true, force: true }))

  it('in its storage directory', () => {
    const files = filesUnder(join(data))
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
    expect(bytes.length, 'there is something to search').toBeGreaterThan(50_000)
    expect(files.filter((file) => /stave-Log\/[0-9a-f]{64}\.sqlite$/.test(file))).toHaveLength(2)
    expect(found(needles, bytes)).toEqual([])
  })

  it('in its logs (I-09, R-04)', () => {
    expect(output.join('')).toBe('')
  })

  it('in the frames on the wire, which are all of bucket sizes after the handshake (T-02)', () => {
    expect(frames.length).toBeGreaterThan(30)
    expect(found(needles, Buffer.concat(frames))).toEqual([])
    const handshakes = frames.filter((frame) => frame.length === 48)
    expect(handshakes).toHaveLength(4)
    expect(frames.filter((frame) => frame.length !== 48 && !isBucket(frame.length))).toEqual([])
  })

  it('and the search would have found it: the clients’ own stores, unsealed, hold every needle', async () => {
    expect(needles.size).toBeGreaterThan(20)
    const control = Buffer.concat([Buffer.from('x'), ...[...needles.values()].map((needle) => Buffer.from(needle))])
    expect(found(needles, control)).toHaveLength(needles.size)
  })
})

/** The account's log has all that this device has to tell it. */
async function isLogged({ store }: NodePerson): Promise<void> {
  const log = await store.get('meta', 'log')
  expect(log?.kind === 'log' ? log.position : 0).toBeGreaterThan(0)
  expect(await hasWaiting(store)).toBe(false)
}

/** The secrets of a device, as it keeps them. */
async function collect(needles: Map<string, Uint8Array>, who: string, { store, face }: NodePerson): Promise<void> {
  const add = (what: string, bytes: Uint8Array | undefined): void => {
    if (bytes !== undefined && bytes.length > 0) needles.set(`${who}: ${what}`, bytes.slice(0, 32))
  }
  const account = await store.get('meta', 'account')
  const phrase = await store.get('meta', 'phrase')
  const realm = await store.get('meta', 'realm')
  add('root', account?.kind === 'account' ? account.rootSeed : undefined)
  add('entropy', phrase?.kind === 'phrase' ? phrase.entropy : undefined)
  add('mailbox token', realm?.kind === 'realm' ? realm.mailboxToken : undefined)
  add('words', Buffer.from((await face.revealPhrase()).slice(0, 4).join(' ')))
  const keyRing = await store.get('meta', 'keyRing')
  if (keyRing?.kind === 'keyRing' && realm?.kind === 'realm') {
    const { logAddressSecret, generations } = decodeKeyRing(keyRing.bytes)
    add('log address secret', logAddressSecret)
    add('log address', logAddressOf(logAddressSecret, realm.noiseKey))
    for (const { generation, logKey, logToken, hpkeSeed } of generations) {
      for (const [what, secret] of Object.entries({ logKey, logToken, hpkeSeed })) add(`${what} ${generation}`, secret)
    }
    add('mailbox closer', realm.mailboxCloser)
  }
  for (const [i, { record }] of (await store.list('channels')).entries()) {
    add(`entry token ${i}`, record.entry?.token)
    add(`title ${i}`, Buffer.from(record.title))
  }
  for (const { record } of await store.list('syncs')) {
    add('seat token', record.token)
    for (const [i, { key }] of record.keys.entries()) add(`outer key ${i}`, key)
  }
  for (const { record } of await store.list('invitations')) {
    add('invitation secret', record.secret)
    add('invitation secret in the link', fromBase64url(record.link.split('.').at(-1) ?? ''))
    add('key package secret', record.keyPackageSecret)
  }
}

function found(needles: ReadonlyMap<string, Uint8Array>, haystack: Buffer): string[] {
  return [...needles].flatMap(([what, bytes]) => {
    const needle = Buffer.from(bytes)
    const forms = [needle, Buffer.from(needle.toString('hex')), Buffer.from(needle.toString('base64url'))]
    return forms.some((form) => haystack.includes(form)) ? [what] : []
  })
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
}
