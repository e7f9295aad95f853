/** Draws every PNG icon from the one mark, pwa/public/icon.svg. Run by hand when the mark changes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { findChromium } from './chromium.mjs'

const mark = readFileSync('pwa/public/icon.svg', 'utf8')
const white = mark.replace('#0f7a6c', '#ffffff')

/** Bare for toolbars; on a tile for home screens; with room around it where the system cuts its own shape. */
const icons = [
  ...[16, 32, 48, 128].map((size) => ({
    file: `extension/public/icon/${size}.png`,
    size,
    svg: mark,
    share: 1,
    tile: '',
    radius: 0,
  })),
  ...[192, 512].map((size) => ({
    file: `pwa/public/icon-${size}.png`,
    size,
    svg: white,
    share: 0.72,
    tile: '#0f7a6c',
    radius: 0.2,
  })),
  { file: 'pwa/public/icon-maskable-512.png', size: 512, svg: white, share: 0.56, tile: '#0f7a6c', radius: 0 },
]

const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  for (const { file, size, svg, share, tile, radius } of icons) {
    await page.setViewportSize({ width: size, height: size })
    const box = `width:${size}px;height:${size}px;display:grid;place-items:center;background:${tile || 'none'};border-radius:${size * radius}px`
    const sized = svg.replace('<svg ', `<svg width="${size * share}" height="${size * share}" `)
    await page.setContent(`<body style="margin:0;background:none"><div style="${box}">${sized}</div></body>`)
    mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true })
    writeFileSync(file, await page.screenshot({ omitBackground: true }))
  }
} finally {
  await browser.close()
}
