import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname

// The Workers runtime refuses to start when the folder of the assets is missing, even if no test asks for one.
mkdirSync(resolve(root, 'dist/pwa'), { recursive: true })

/** A realm's secrets are not in wrangler.toml: these are of the realm under test. */
const testSecrets = {
  NOISE_KEY: Buffer.alloc(32, 1).toString('base64url'),
  LIST_KEY: Buffer.alloc(32, 2).toString('base64url'),
  DROP_KEY: Buffer.alloc(32, 3).toString('base64url'),
  INCARNATION: Buffer.alloc(16, 4).toString('base64url'),
}

export default defineConfig({
  test: {
    maxWorkers: 2, // the default leaves one core of two idle
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          environment: 'node',
          include: ['tests/{unit,vectors,contract,invariants,fuzz}/**/*.test.{ts,tsx}'],
          testTimeout: 120_000,
        },
        oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      },
      {
        resolve: { alias: { 'cloudflare:workers': resolve(root, 'tests/support/cloudflare-workers.ts') } },
        test: {
          name: 'sim',
          isolate: false,
          environment: 'node',
          include: ['tests/sim/**/*.test.ts'],
          setupFiles: ['tests/support/sim/setup.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'differential',
          environment: 'node',
          include: ['tests/differential/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        plugins: [
          cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, miniflare: { bindings: testSecrets } }),
        ],
        test: {
          name: 'worker',
          include: ['tests/worker/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
    ],
  },
})
