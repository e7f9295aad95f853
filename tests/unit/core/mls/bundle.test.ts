import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
// docs/decisions/0003-mls-engine.md says what it is made of.
const MAX_GZIP_BYTES = 45 * 1024

async function bundled(conditions: string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve(root, 'shared/core/mls/index.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser', // fails on an import of a Node module
    conditions,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

describe.each([
  { name: 'browser', conditions: ['browser'] },
  { name: 'workerd', conditions: ['workerd', 'worker'] },
])('core/mls bundled for $name', ({ conditions }) => {
  it('imports nothing at run time, which a service worker refuses, and nothing of Node', async () => {
    const code = await bundled(conditions)
    expect(code).not.toMatch(/\bimport\s*\(/)
    expect(code).not.toMatch(/\brequire\s*\(|["']node:|from\s*["']crypto["']/)
  })

  it('[C-02] stays small: at most 45 KiB of gzip', async () => {
    const bytes = gzipSync(await bundled(conditions), { level: 9 }).length
    expect(bytes).toBeLessThan(MAX_GZIP_BYTES)
    console.log(`core/mls: ${bytes} bytes of gzip`)
  })
})
