import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

/** Every screen with sample data, for screenshots and accessibility checks. Never part of a product build. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [preact()],
  build: {
    outDir: '../../../dist/gallery',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
