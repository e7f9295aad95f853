import { defineConfig } from '@playwright/test'
import { FLAGS, findChromium } from './scripts/chromium.mjs'

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  timeout: 120_000,
  expect: { timeout: 15_000 },
  workers: 3, // browsers wait for clocks and each other: a third file fills what two leave of two cores
  forbidOnly: true,
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  // What was done, and no picture of each moment: two browsers have enough to do with two cores.
  use: {
    launchOptions: { executablePath: findChromium() ?? '', args: FLAGS },
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
  },
})
