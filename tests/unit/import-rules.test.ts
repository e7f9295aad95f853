import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

type Case = readonly [file: string, specifier: string, allowed: boolean, kind?: 'type' | 'dynamic']

const allow = (file: string, ...specifiers: string[]): Case[] => specifiers.map((s) => [file, s, true])
const refuse = (file: string, ...specifiers: string[]): Case[] => specifiers.map((s) => [file, s, false])

const cases: readonly Case[] = [
  ...refuse('shared/core/errors.ts', './bytes/utf8.ts', 'cborg'),

  ...allow('shared/core/bytes/reader.ts', './writer.ts', '../errors.ts', '#core/errors.ts'),
  ...refuse(
    'shared/core/bytes/reader.ts',
    '../wire/ids.ts',
    '#core/wire/ids.ts',
    './../wire/ids.ts',
    '@noble/hashes/sha2.js',
  ),

  ...allow(
    'shared/core/crypto/aead.ts',
    '../bytes/concat.ts',
    '#core/bytes/concat.ts',
    '@noble/ciphers/aes.js',
    './labels.ts',
  ),
  ...refuse(
    'shared/core/crypto/aead.ts',
    '../wire/ids.ts',
    '../keys/phrase.ts',
    '#core/mls/group.ts',
    'node:crypto',
    'ts-mls',
  ),
  ...allow('shared/core/wire/cbor.ts', 'cborg', '../bytes/reader.ts', '../errors.ts'),
  ...refuse('shared/core/wire/cbor.ts', '../crypto/hash.ts', '../padding/pad.ts', '../../app/face.ts', '#app/face.ts'),
  ...refuse('shared/core/padding/pad.ts', '../wire/ids.ts', '../message/text.ts'),

  ...allow('shared/core/keys/phrase.ts', '../crypto/hkdf.ts', '../wire/ids.ts', '../padding/pad.ts', '@scure/bip39'),
  ...refuse(
    'shared/core/keys/phrase.ts',
    '../identity/manifest.ts',
    '../mls/group.ts',
    '#core/log/entry.ts',
    'idb-keyval',
  ),
  ...allow('shared/core/identity/manifest.ts', '../crypto/sign.ts', '#core/wire/ids.ts'),
  ...refuse('shared/core/identity/manifest.ts', '../keys/phrase.ts', '../noise/handshake.ts', '../message/text.ts'),
  ...allow('shared/core/channel/chain.ts', '../crypto/hash.ts', '../wire/ids.ts'),
  ...refuse('shared/core/channel/chain.ts', '../mls/group.ts', '../identity/manifest.ts'),

  ...allow('shared/core/mls/group.ts', 'ts-mls', 'ts-mls/clientState.js', '../identity/manifest.ts', '../keys/tree.ts'),
  ...refuse(
    'shared/core/mls/group.ts',
    '../message/text.ts',
    '../noise/state.ts',
    '#core/log/seal.ts',
    '../blob/chunk.ts',
  ),
  ...allow('shared/core/noise/handshake.ts', '../crypto/aead.ts', '../padding/pad.ts', './state.ts'),
  ...refuse(
    'shared/core/noise/handshake.ts',
    'ts-mls',
    '../mls/group.ts',
    './../mls/group.ts',
    '#core/message/text.ts',
  ),
  ...refuse('shared/core/message/text.ts', '../mls/group.ts', '#core/noise/state.ts', 'ts-mls', 'preact'),
  ...refuse('shared/core/log/seal.ts', '../message/text.ts', '#core/mls/group.ts'),
  ...allow('shared/core/link/grant.ts', '../keys/key-ring.ts', '../identity/manifest.ts', '#core/wire/ids.ts'),
  ...refuse('shared/core/link/grant.ts', '../log/seal.ts', '../noise/state.ts', '#core/mls/index.ts', 'ts-mls'),
  ...refuse('shared/core/blob/chunk.ts', '../log/seal.ts', 'ts-mls'),

  ...allow('shared/app/message/send.ts', '#core/mls/group.ts', '../ports/store.ts', './line.ts', '#app/ports/relay.ts'),
  ...refuse(
    'shared/app/message/send.ts',
    '#store/schema.ts',
    '../../store/schema.ts',
    '#net/socket.ts',
    '#web/locks.ts',
  ),
  ...refuse(
    'shared/app/message/send.ts',
    '#ui/state/face.ts',
    '../../ui/app.tsx',
    'idb',
    'ts-mls',
    'preact',
    '../../core/errors.ts',
  ),

  ...allow('shared/store/schema.ts', 'idb', 'idb-keyval', '#core/errors.ts', '#app/ports/store.ts', './rows.ts'),
  ...refuse(
    'shared/store/schema.ts',
    '#app/message/send.ts',
    '../net/socket.ts',
    '#web/locks.ts',
    'ts-mls',
    './../ui/app.tsx',
  ),
  ...allow('shared/net/socket.ts', '#core/noise/handshake.ts', '#app/ports/relay.ts', './backoff.ts'),
  ...refuse('shared/net/socket.ts', '#store/schema.ts', '../store/schema.ts', 'ts-mls', 'idb', '#app/engine.ts'),
  ...allow('shared/web/locks.ts', '#app/ports/turns.ts', '#core/errors.ts'),
  ...refuse('shared/web/locks.ts', '#ui/app.tsx', '#net/socket.ts', 'idb', 'ts-mls'),

  ...allow(
    'shared/ui/components/row.tsx',
    '#app/face.ts',
    'preact',
    'preact/hooks',
    '@preact/signals',
    '../state/face.ts',
    './row.css',
  ),
  ['shared/ui/components/row.tsx', '#core/wire/ids.ts', true, 'type'],
  ['shared/ui/components/row.tsx', '#core/wire/ids.ts', false],
  ['shared/ui/components/row.tsx', '#store/schema.ts', false, 'type'],
  ...refuse(
    'shared/ui/components/row.tsx',
    '#net/socket.ts',
    '../../store/schema.ts',
    '../../core/errors.ts',
    'idb',
    'ts-mls',
  ),

  ...allow(
    'pwa/boot.ts',
    '#app/engine.ts',
    '#store/schema.ts',
    '#net/socket.ts',
    '#web/locks.ts',
    '#ui/app.tsx',
    './sw-client.ts',
  ),
  ...refuse(
    'pwa/boot.ts',
    '../extension/boot.ts',
    '../shared/app/face.ts',
    '../worker/index.ts',
    'ts-mls',
    'wxt/browser',
  ),
  ...allow(
    'extension/boot.ts',
    '#app/engine.ts',
    '#store/schema.ts',
    '#ui/app.tsx',
    './bridge/messages.ts',
    'wxt/browser',
  ),
  ...refuse(
    'extension/boot.ts',
    '../pwa/boot.ts',
    '../shared/app/face.ts',
    '../worker/index.ts',
    'ts-mls',
    'workbox-window',
  ),
  ...allow('extension/entrypoints/popup/main.tsx', '../../boot.ts', '../../bridge/messages.ts'),
  ...refuse('extension/entrypoints/popup/main.tsx', '../../../pwa/boot.ts', '../../../shared/ui/app.tsx'),

  ...allow(
    'worker/ops/post.ts',
    '#core/wire/operations.ts',
    '#core/noise/state.ts',
    '#core/errors.ts',
    '#core/channel/chain.ts',
    '../rules/ordering.ts',
  ),
  ...allow('worker/index.ts', 'hono', 'cloudflare:workers', './routes/health.ts'),
  ...refuse(
    'worker/ops/post.ts',
    '#core/mls/group.ts',
    '#core/message/text.ts',
    '#core/keys/phrase.ts',
    '#core/log/seal.ts',
    '#core/blob/chunk.ts',
  ),
  ...refuse(
    'worker/ops/post.ts',
    '../../shared/core/mls/group.ts',
    '#app/face.ts',
    'ts-mls',
    '../../pwa/boot.ts',
    'node:fs',
  ),
  ['worker/ops/post.ts', '#core/mls/group.ts', false, 'dynamic'],
  ['worker/ops/post.ts', '#core/mls/group.ts', false, 'type'],
]

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'import-rules-'))
const place = (file: string, index: number) => join(dirname(file), `case-${index}.${file.split('.').pop()}`)

function snippet([, specifier, , kind]: Case): string {
  if (specifier.endsWith('.css')) return `import '${specifier}'\n`
  if (kind === 'type') return `import type {\n  Thing,\n} from '${specifier}'\n\nexport type Again = Thing\n`
  if (kind === 'dynamic') return `export const thing = await import('${specifier}')\n`
  return `import { thing } from '${specifier}'\n\nexport const again = thing\n`
}

/** One run of the real linter with the real rules over all cases: a process for each would take a minute. */
let refused: ReadonlySet<string>

beforeAll(() => {
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  cpSync(join(root, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cases.forEach((one, index) => {
    const file = join(folder, place(one[0], index))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, snippet(one))
  })
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [
    biome,
    'lint',
    '--vcs-enabled=false',
    '--reporter=json',
    '--max-diagnostics=none',
    'shared',
    'pwa',
    'extension',
    'worker',
  ]
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const report = JSON.parse(run.stdout) as { diagnostics: { category: string; location: { path: string } }[] }
  refused = new Set(
    report.diagnostics
      .filter(({ category }) => category === 'lint/style/noRestrictedImports' || category === 'plugin')
      .map(({ location }) => location.path),
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('STYLE section 2: which way imports go', () => {
  it.each(cases.map((one, index) => ({ file: one[0], specifier: one[1], index, may: one[2] ? 'may' : 'may not' })))(
    '[STYLE-2] case $index: $file $may import $specifier',
    ({ file, index, may }) => {
      expect(refused.has(place(file, index))).toBe(may === 'may not')
    },
  )
})
