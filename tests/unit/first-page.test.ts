import { resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** What the build makes a file of its own. */
const elsewhere: Plugin = {
  name: 'elsewhere',
  setup: ({ onResolve }) => onResolve({ filter: /\?/ }, ({ path }) => ({ path, external: true })),
}

/** What a page loads before it shows anything: what its entry imports, and not what it imports later. */
async function firstLoad(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [resolve(root, entry)],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'import.meta.env': '{}' },
    external: ['#imports', 'wxt/*'],
    plugins: [elsewhere],
    logLevel: 'silent',
  })
  return inputsOf(metafile, entry)
}

function inputsOf({ outputs }: Metafile, entry: string): readonly string[] {
  const first = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry)
  const seen = new Set<string>()
  const inputs: string[] = []
  const queue = first === undefined ? [] : [first]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    inputs.push(...Object.keys(outputs[name]?.inputs ?? {}))
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === 'import-statement') queue.push(path)
  }
  return inputs
}

describe.each(['pwa/main.tsx', 'extension/entrypoints/popup/main.tsx'])('%s', (entry) => {
  it('[U-04] shows what the store holds without the engine: no MLS, no channel that is driven', async () => {
    const inputs = await firstLoad(entry)
    expect(inputs).toContain('shared/ui/components/app.tsx')
    expect(inputs.filter((one) => /ts-mls|core\/mls|app\/engine|channel\/(drive|loaded)/.test(one))).toEqual([])
  })
})
