import { resolve } from 'node:path'
import preact from '@preact/preset-vite'
import { build as esbuild } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import { injectManifest } from 'workbox-build'

const root = import.meta.dirname
const out = resolve(root, '../dist/pwa')
const RELAY = 'http://127.0.0.1:8787'

/** Bundles the service worker by itself, after everything that it has to list lies in the output folder. */
function serviceWorker(): Plugin {
  return {
    name: 'stave-service-worker',
    apply: 'build',
    closeBundle: {
      sequential: true,
      order: 'post',
      async handler() {
        const sw = resolve(out, 'sw.js')
        await esbuild({
          entryPoints: [resolve(root, 'sw.ts')],
          outfile: sw,
          bundle: true,
          minify: true,
          format: 'iife',
          target: 'es2022',
          define: { 'process.env.NODE_ENV': '"production"' },
          logLevel: 'warning',
        })
        const { warnings } = await injectManifest({
          swSrc: sw,
          swDest: sw,
          globDirectory: out,
          globPatterns: ['**/*.{js,css,html,svg,png,webmanifest,wasm}'],
          globIgnores: ['sw.js'],
          dontCacheBustURLsMatching: /assets\/.*-[\w-]{8}\./,
        })
        if (warnings.length > 0) throw new Error(warnings.join('\n'))
      },
    },
  }
}

export default defineConfig({
  root,
  base: '/',
  plugins: [preact(), serviceWorker()],
  worker: { format: 'es' },
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
  },
  server: { port: 5173, proxy: { '/v1': { target: RELAY, ws: true }, '/realm.json': { target: RELAY } } },
})
