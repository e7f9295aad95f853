import { composer, evaluate, evaluateNumber, inProfiles, makeIdentity, meet } from '../support/browser.mjs'
import { scriptOf } from '../support/bundle.mjs'
import { figure, median, spread } from '../support/stats.mjs'
import { measureTakeover } from './takeover.mjs'

/**
 * @typedef {import('../report.mjs').Outcome} Outcome
 * @typedef {import('../run.mjs').Place} Place
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ sent: number, received: number }} Traffic
 */
const AT_ONCE = 40
const BETWEEN_MS = 250
const SETTLED_MS = 3_000
const NOTE = `A text passes four durable writes one after the other before the other screen shows it: as written, queued with its place, sealed
with the ratchet's step (I-04), and opened at the reader (I-05); the relay's own is a fifth. Between them are four changes of context (page and
engine on each side), reads of sealed rows, and a frame of each screen. On two cores both browsers, the relay and the
measuring script take turns.`

/** Two web app profiles that talk through the relay. @param {Place} place @returns {Promise<Outcome>} */
export async function measureConversation({ relayUrl, bareUrl, quick }) {
  const tools = await scriptOf('client/page-tools.ts')
  return inProfiles(['ann', 'ben'], async (contexts) => {
    const [annContext, benContext] = contexts
    if (annContext === undefined || benContext === undefined) throw new Error('no profiles')
    const [ann, ben] = [await annContext.newPage(), await benContext.newPage()]
    const [annTraffic, benTraffic] = [count(ann), count(ben)]
    for (const [page, name] of /** @type {const} */ ([
      [ann, 'Ann'],
      [ben, 'Ben'],
    ])) {
      await page.goto(relayUrl)
      await makeIdentity(page, name)
      await evaluate(page, tools)
      await evaluate(page, 'staveBench.watch()')
    }
    await meet(ann, ben)

    const probes = quick ? 50 : 200
    const echoes = await echoTimes(annContext, bareUrl, probes)
    await ann.bringToFront()
    const keys = await keyPresses(ann, ben, quick ? 5 : 60)
    echoes.push(...(await echoTimes(annContext, bareUrl, probes)))
    await ann.bringToFront()
    const disk = /** @type {number[]} */ (await evaluate(ann, `staveBench.durableWrites(${quick ? 10 : 60})`))

    const rates = []
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      const ms = await evaluateNumber(ann, `staveBench.sendAtOnce('round ${round}', ${AT_ONCE})`)
      rates.push((AT_ONCE * 1000) / ms)
      await pause(500)
    }
    const { wire, sentMs } = await bytesEach(ann, ben, [annTraffic, benTraffic], quick ? 3 : 20)
    const takeovers = await measureTakeover(annContext, ann, tools, quick ? 2 : 12)

    const [keyMs, echoMs] = [median(keys.other), median(echoes)]
    const takeoverMs = median(takeovers.map(({ sent }) => sent))
    const [startedMs, onlineMs] = [
      median(takeovers.map(({ started }) => started)),
      median(takeovers.map(({ online }) => online)),
    ]
    const diskMs = median(disk)
    return {
      ratios: [
        {
          what: 'Key press to the other screen ÷ bare WebSocket echo, p50',
          value: `${figure(keyMs / echoMs)} times`,
        },
        {
          what: 'Key press to the other screen ÷ one durable write of a row, p50',
          value: `${figure(keyMs / diskMs)} times`,
        },
        {
          what: 'A message is sent from another tab after the tab with the engine closed, p50',
          value: `${figure(takeoverMs)} ms`,
          goal: '< 300 ms',
          met: takeoverMs < 300,
          bound: `${figure(startedMs)} ms pass until the next engine runs (the browser ends the tab, gives the lock on, and the worker opens the store), ${figure(onlineMs - startedMs)} ms until it has shaken hands, ${figure(takeoverMs - onlineMs)} ms for greeting, fetch and post in a worker that has just begun; an engine that was running sends in ${figure(median(sentMs))} ms.`,
        },
      ],
      note: NOTE,
      figures: [
        { what: 'Key press to the own screen (the frame that draws it), p50 / p95, ms', value: spread(keys.own) },
        { what: "Key press to 'sent' on the own screen", value: spread(keys.sent) },
        { what: 'Key press to the other screen', value: spread(keys.other) },
        { what: 'Bare echo from a page, p50 / p95, ms', value: spread(echoes) },
        {
          what: `Sends a second: ${AT_ONCE} messages written at once until all are 'sent'`,
          value: figure(median(rates)),
        },
        {
          what: 'Tab with the engine closed, until another engine connects, p50 / p95, ms',
          value: spread(takeovers.map(({ started }) => started)),
        },
        { what: '… until it is online', value: spread(takeovers.map(({ online }) => online)) },
        { what: "… until a message of another tab is 'sent'", value: spread(takeovers.map(({ sent }) => sent)) },
        { what: "Written and 'sent' while an engine runs", value: spread(sentMs) },
        { what: 'One durable write of a row, p50 / p95, ms', value: spread(disk) },
        { what: 'Frames of one short message with its receipt: from and to the writer, bytes', value: pair(wire[0]) },
        { what: 'The same from and to the reader', value: pair(wire[1]) },
      ],
    }
  })
}

/** @param {Traffic | undefined} traffic */
function pair(traffic) {
  return `${figure(traffic?.sent ?? Number.NaN)} / ${figure(traffic?.received ?? Number.NaN)}`
}

/** Bytes of the frames of all sockets of a page and its workers, as long as it is open. @param {Page} page @returns {Traffic} */
function count(page) {
  const traffic = { sent: 0, received: 0 }
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      traffic.sent += payload.length
    })
    socket.on('framereceived', ({ payload }) => {
      traffic.received += payload.length
    })
  })
  return traffic
}

/**
 * @param {Page} writer @param {Page} reader @param {number} messages
 * @returns {Promise<{ own: number[], sent: number[], other: number[] }>} milliseconds since the key was pressed
 */
async function keyPresses(writer, reader, messages) {
  /** @type {{ own: number[], sent: number[], other: number[] }} */
  const times = { own: [], sent: [], other: [] }
  for (let n = 0; n < messages; n++) {
    const text = `Key press ${n}`
    await composer(writer).fill(text)
    await composer(writer).press('Enter')
    const otherMs = await evaluateNumber(reader, `staveBench.drawnAt('${text}')`)
    const pressedMs = await evaluateNumber(writer, 'staveBench.pressedAt()')
    times.other.push(otherMs - pressedMs)
    times.own.push((await evaluateNumber(writer, `staveBench.drawnAt('${text}')`)) - pressedMs)
    times.sent.push((await evaluateNumber(writer, `staveBench.drawnAt('sent: ${text}')`)) - pressedMs)
    await pause(BETWEEN_MS)
  }
  return times
}

/** With cover traffic off: it comes and goes by its own clock. @param {Page} ann @param {Page} ben @param {Traffic[]} traffic @param {number} messages */
async function bytesEach(ann, ben, traffic, messages) {
  for (const page of [ann, ben]) await evaluate(page, 'staveBench.coverOff()')
  await pause(SETTLED_MS) // acknowledgements of what came before
  const before = traffic.map((one) => ({ ...one }))
  /** @type {number[]} */
  const sentMs = []
  for (let n = 0; n < messages; n++) {
    const startMs = performance.timeOrigin + performance.now()
    sentMs.push((await evaluateNumber(ann, `staveBench.sentAt('Counted ${n}')`)) - startMs)
    await pause(BETWEEN_MS)
  }
  await pause(SETTLED_MS)
  const wire = traffic.map(({ sent, received }, i) => ({
    sent: (sent - (before[i]?.sent ?? 0)) / messages,
    received: (received - (before[i]?.received ?? 0)) / messages,
  }))
  return { wire, sentMs }
}

/** From a page of its own, gone again before anything else is measured. @param {import('playwright-core').BrowserContext} context @param {string} url @param {number} probes @returns {Promise<number[]>} */
async function echoTimes(context, url, probes) {
  const page = await context.newPage()
  await page.goto(url)
  const times = await evaluate(
    page,
    `(async () => {
      const socket = new WebSocket('${url.replace('http', 'ws')}/echo')
      await new Promise((open) => { socket.onopen = open })
      const times = []
      for (let n = 0; n < ${probes}; n++) {
        const start = performance.now()
        socket.send(new Uint8Array(512))
        await new Promise((answered) => { socket.onmessage = answered })
        times.push(performance.now() - start)
      }
      socket.close()
      return times
    })()`,
  )
  await page.close()
  return /** @type {number[]} */ (times)
}

/** @param {number} ms @returns {Promise<void>} */
function pause(ms) {
  return new Promise((done) => setTimeout(done, ms))
}
