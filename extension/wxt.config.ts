import preact from '@preact/preset-vite'
import { defineConfig } from 'wxt'
import project from '../package.json' with { type: 'json' }

/** The public half of a key nobody has: with it the extension has one id wherever its folder lies. */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx1ZDBwFPm/LPf9ZqWgWomVFS04Xs/skkQyZfCNbCAfJcA0VdgXIU3cw3cdI0BIlDNQV1IQLAF8KjzLLV+DuhbIZSIOcV4oB/lVaK91rD5D7qm03d/y4u7W7iKGoIiP29KIB5uQhwzP9FS//L1MvVHRukNTOCBMwaRXT7KiKddzFRJX9yG34bZqABtopLGg9eqqb9jSwDrK+yXU9RfZAyR1zTGn9B9h+u0WwC9pqBJjiJoamuMzUOeelR/6WI/SyZzRvc38IcbdSU3nOH+awTc9gInj92A7F0xTbCMn+QNuWaQLr4V7LCWhkta8e8re+/pVzeL8EqNCoSACt2Js9HAwIDAQAB'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "object-src 'none'",
  "connect-src 'self' ws: wss: https: http://localhost:* http://127.0.0.1:*",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types stave 'allow-duplicates'",
].join('; ')

const firefox = {
  browser_specific_settings: {
    gecko: {
      id: '{5f0c9e0e-7a39-4c55-9f6e-1d5b8c2f7a41}',
      strict_min_version: '130.0',
      data_collection_permissions: { required: ['none'] },
    },
  },
}

export default defineConfig({
  imports: false,
  manifestVersion: 3,
  outDir: '../dist/extension',
  webExt: { disabled: true },
  vite: () => ({
    plugins: [preact()],
    // The realm that an extension uses when no invitation has named one.
    define: { 'import.meta.env.STAVE_REALM': JSON.stringify(process.env.STAVE_REALM ?? 'http://localhost:8787') },
    worker: { format: 'es' },
    build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  }),
  manifest: ({ browser }) => ({
    name: 'Stave',
    description: project.description,
    version: project.version,
    permissions: [
      'storage',
      'unlimitedStorage',
      'alarms',
      'notifications',
      ...(browser === 'chrome' ? ['sidePanel'] : []),
    ],
    content_security_policy: { extension_pages: POLICY },
    ...(browser === 'chrome' ? { key: KEY, minimum_chrome_version: '137' } : firefox),
  }),
})
