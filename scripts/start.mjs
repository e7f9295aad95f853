/** `npm start`: build what changed, start the relay, say where everything is. PORT, HOST and DATA say otherwise. */
import { resolve } from 'node:path'
import { buildAll, isBuilt } from './build.mjs'
import { StartError } from './realm-folder.mjs'
import { reserve, startRelay } from './relay.mjs'

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
const root = resolve(import.meta.dirname, '..')
/** @type {Promise<import('./relay.mjs').Relay> | undefined} */
let relay
let stopping = false

for (const signal of SIGNALS) process.on(signal, stop)

try {
  const place = {
    port: readPort(process.env.PORT ?? '8787'),
    host: process.env.HOST ?? '127.0.0.1',
    data: process.env.DATA ?? 'data',
  }
  const reserved = await reserve(place)
  process.on('exit', reserved.realm.release)
  if (!isBuilt()) {
    console.log('Building the relay, the web app and the extension.')
    await buildAll()
  }
  if (!stopping) {
    relay = startRelay({ ...place, reserved, onNotice, onGivenUp: giveUp })
    const { url, data } = await relay
    stopAlone()
    if (!stopping) console.log(greeting(url.replace('//127.0.0.1:', '//localhost:'), data))
  }
} catch (error) {
  giveUp(error)
}

/** @param {string} url @param {string} data */
function greeting(url, data) {
  return [
    '',
    'Stave is running.',
    `  Web app    ${url}`,
    '  Extension  chrome://extensions → Developer mode → Load unpacked →',
    `             ${resolve(root, 'dist/extension/chrome-mv3')}`,
    `  Data       ${data}`,
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

/** @param {string} text */
function readPort(text) {
  const port = Number(text)
  if (/^\d+$/.test(text) && port < 65_536) return port
  throw new StartError(`PORT is '${text}', which is no port number.`)
}

/** @param {string} line */
function onNotice(line) {
  stopAlone()
  console.log(line)
}

/** Each start of the runtime adds signal handlers that would end this process at once, and not with 0. */
function stopAlone() {
  for (const signal of SIGNALS) {
    for (const other of process.listeners(signal)) if (other !== stop) process.off(signal, other)
  }
}

async function stop() {
  if (stopping) return
  stopping = true
  await (await relay?.catch(() => undefined))?.stop()
  process.exit(0)
}

/** @param {unknown} error @returns {never} */
function giveUp(error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exit(1)
}
