import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { build } from 'esbuild'
import { MlKem768 } from 'mlkem'
import { decodeCiphersuite, encodeCiphersuite } from 'ts-mls/crypto/ciphersuite.js'
import { describe, expect, it } from 'vitest'
import { isMlKemPublicKey } from '#core/crypto/ml-kem.ts'
import { PATCHES, RULES } from '../../../../patches/ts-mls/patches.mjs'

const root = resolve(import.meta.dirname, '../../../..')
const installed = join(root, 'node_modules')
const stock = join(installed, '.stave-stock')

async function bytesOf(modules: string, entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: modules },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    nodePaths: [installed],
    logLevel: 'silent',
  })
  return outputFiles[0]?.contents.length ?? 0
}

/** What a bundle of a part of a package is made of, as installed and as published. */
const bundles = [
  { id: 'Z1', entry: `export { senderTypes } from './ts-mls/dist/src/sender.js'`, atMost: 0.1 },
  { id: 'Z2', entry: `export { applyProposals } from './ts-mls/dist/src/clientState.js'`, atMost: 0.8 },
  { id: 'Z2', entry: `export { abytes, aexists, anumber } from './@noble/hashes/utils.js'`, atMost: 0.7 },
  { id: 'Z3', entry: `export { MlKem768 } from './mlkem/esm/src/mlKem768.js'`, atMost: 0.8 },
  { id: 'Z4', entry: `export { loadCrypto } from './mlkem/esm/src/utils.js'`, atMost: 0.5 },
  { id: 'Z5', entry: `export { NTT_ZETAS } from './mlkem/esm/src/consts.js'`, atMost: 0.5 },
  { id: 'Z6', entry: `export { ciphersuites } from './ts-mls/dist/src/crypto/ciphersuite.js'`, atMost: 0.2 },
  { id: 'Z7', entry: `export { sha512 } from './@noble/hashes/sha2.js'`, atMost: 0.9 },
  {
    id: 'Z8',
    entry: `export { bytesToBase64, base64ToBytes } from './ts-mls/dist/src/util/byteArray.js'`,
    atMost: 0.5,
  },
  { id: 'Z9', entry: `export { findSignaturePublicKey } from './ts-mls/dist/src/publicMessage.js'`, atMost: 0.6 },
  { id: 'Z10', entry: `export * from './mlkem/esm/mod.js'`, atMost: 0.7 },
  { id: 'Z11', entry: `export { MlKemBase } from './mlkem/esm/src/mlKemBase.js'`, atMost: 0.7 },
]

describe('[C-02] patches that make the engine small', () => {
  it.each(bundles)('[$id] $entry: at most $atMost of the published bytes', async ({ entry, atMost }) => {
    const [ours, published] = [await bytesOf(installed, entry), await bytesOf(stock, entry)]
    expect(published).toBeGreaterThan(0)
    expect(ours / published).toBeLessThan(atMost)
  })

  it('covers every one', () => {
    const covered = new Set(bundles.map(({ id }) => id))
    const ids = [...PATCHES, ...RULES].map(({ id }) => id).filter((id) => id.startsWith('Z'))
    expect([...new Set(ids)].filter((id) => !covered.has(id))).toEqual([])
  })

  it('[Z5] computes the very constants that ML-KEM was published with', async () => {
    const at = (folder: string) => pathToFileURL(join(folder, 'mlkem/esm/src/consts.js')).href
    const [ours, published] = await Promise.all(
      [installed, stock].map((folder) => import(/* @vite-ignore */ at(folder))),
    )
    expect(existsSync(join(stock, 'mlkem'))).toBe(true)
    expect(ours.NTT_ZETAS).toEqual(published.NTT_ZETAS)
    expect(ours.NTT_ZETAS_INV).toEqual(published.NTT_ZETAS_INV)
  })

  it('[Z3] [Z10] [Z11] ML-KEM-768 makes, opens and refuses what the published one does', async () => {
    const url = pathToFileURL(join(stock, 'mlkem/esm/mod.js')).href
    const { MlKem768: Published } = (await import(/* @vite-ignore */ url)) as { MlKem768: typeof MlKem768 }
    const [ours, published] = [new MlKem768(), new Published()]
    for (let n = 0; n < 4; n++) {
      const [publicKey, privateKey] = await ours.deriveKeyPair(new Uint8Array(64).fill(n))
      expect(await published.deriveKeyPair(new Uint8Array(64).fill(n))).toEqual([publicKey, privateKey])
      const [ciphertext, shared] = await ours.encap(publicKey, new Uint8Array(32).fill(n + 1))
      expect(await published.encap(publicKey, new Uint8Array(32).fill(n + 1))).toEqual([ciphertext, shared])
      expect(await ours.decap(ciphertext, privateKey)).toEqual(shared)
      ciphertext[n] = (ciphertext[n] ?? 0) ^ 1
      expect(await ours.decap(ciphertext, privateKey)).toEqual(await published.decap(ciphertext, privateKey))
      expect(isMlKemPublicKey(publicKey)).toBe(true)
      expect(isMlKemPublicKey(publicKey.fill(0xff))).toBe(false) // Z11: asked before, no longer with each seal
      await expect(ours.decap(ciphertext.subarray(1), privateKey)).rejects.toThrow()
    }
  })

  it("[Z7] computes SHA-2's round constants: digests are those of OpenSSL, of every length about a block", () => {
    const text = readFileSync(join(installed, '@noble/hashes/sha2.js'), 'utf8')
    expect(text).not.toContain('0x428a2f98')
    for (const [name, hash] of Object.entries({ sha256, sha384, sha512 })) {
      for (const length of [0, 1, 55, 56, 63, 64, 111, 112, 127, 128, 129, 1000]) {
        const data = Uint8Array.from({ length }, (_, i) => i)
        expect(hash(data)).toEqual(new Uint8Array(createHash(name).update(data).digest()))
      }
    }
  })

  it('[Z6] a suite that Stave does not speak is told by its number', () => {
    const name = decodeCiphersuite(Uint8Array.of(0, 2), 0)?.[0]
    expect(name).toBe('2')
    expect(encodeCiphersuite(name ?? 'MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519')).toEqual(Uint8Array.of(0, 2))
  })
})
