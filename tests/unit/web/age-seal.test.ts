import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAgeSeal } from '#web/age-seal.ts'

const ageSeal = makeAgeSeal(12) // the cost is the tool's to bear, below
const WORDS = 'garlic ivory photo lunar brush north'
const TEXT = `${'a line of an archive\n'.repeat(8_000)}the end\n` // three chunks of age's 64 KiB
const run = promisify(execFile)
const hasTool = await Promise.all([run('age', ['--version']), run('script', ['--version'])]).then(
  () => true,
  () => false,
)
if (!hasTool) console.info('The age tool is not installed: the archive is opened by the package alone.')

describe('an archive under age', () => {
  let folder: string
  let sealed: Uint8Array
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-age-'))
    sealed = new Uint8Array(await new Response(await ageSeal.seal(WORDS, new Blob([TEXT]).stream())).arrayBuffer())
    await writeFile(join(folder, 'archive.age'), sealed)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const open = async (bytes: Uint8Array, words = WORDS) =>
    new Response(await ageSeal.open(words, new Blob([bytes as BlobPart]))).text()

  it('[L-03] opens with its words, however they were typed, and with no others', async () => {
    expect(await open(sealed, `  ${WORDS.replace('photo', 'ｐｈｏｔｏ')} `)).toBe(TEXT)
    await expect(open(sealed, 'garlic ivory photo lunar brush south')).rejects.toMatchObject({ code: 'archive/wrong' })
    await expect(open(sealed, 'short')).rejects.toMatchObject({ code: 'archive/wrong' })
    await expect(ageSeal.seal('short', new Blob([TEXT]).stream())).rejects.toMatchObject({ code: 'passphrase/short' })
  })

  it('[L-03] says that it is damaged where a byte was changed, moved or cut off', async () => {
    const body = sealed.length - 100
    const changed = sealed.with(body, (sealed[body] ?? 0) ^ 1)
    const header = Buffer.from(sealed).indexOf('---') + 8
    const mac = sealed.with(header, sealed[header] === 65 ? 66 : 65)
    for (const bad of [changed, mac, sealed.slice(0, body), sealed.slice(0, sealed.length - 1)]) {
      await expect(open(bad)).rejects.toMatchObject({ code: 'archive/damaged' })
    }
  })

  it('[R-06] looks at what it costs before it pays: other files, other recipients and more than a gigabyte are refused', async () => {
    const text = Buffer.from(sealed).toString('latin1')
    const costs = (logN: string) => Buffer.from(text.replace(/^(.*\n-> scrypt \S+) 12\n/, `$1 ${logN}\n`), 'latin1')
    for (const bad of [costs('21'), costs('99'), costs('018'), Buffer.from('age-encryption.org/v1\n-> X25519 abc\n')]) {
      await expect(open(new Uint8Array(bad))).rejects.toMatchObject({ code: 'archive/not-one' })
    }
    await expect(open(new Uint8Array())).rejects.toMatchObject({ code: 'archive/not-one' })
  })

  it('[L-03] is opened by the format’s package in a process that has nothing of ours', async () => {
    const script = `
      import { readFile } from 'node:fs/promises'
      import { Decrypter } from 'age-encryption'
      const decrypter = new Decrypter()
      decrypter.addPassphrase(process.argv[1])
      process.stdout.write(await decrypter.decrypt(await readFile(process.argv[2]), 'text'))`
    const args = ['--input-type=module', '-e', script, WORDS, join(folder, 'archive.age')]
    const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 20 })
    expect(stdout).toBe(TEXT)
  })

  it.runIf(hasTool)('[L-03] is opened by the age tool, and opens what that has sealed', async () => {
    const [archive, plain] = [join(folder, 'costly.age'), join(folder, 'plain')]
    const costly = await makeAgeSeal().seal(WORDS, new Blob([TEXT]).stream())
    await writeFile(archive, new Uint8Array(await new Response(costly).arrayBuffer()))
    await atTerminal(`age -d -o ${plain} ${archive}`, [WORDS])
    expect(await readFile(plain, 'utf8')).toBe(TEXT)
    const theirs = join(folder, 'theirs.age')
    await atTerminal(`age -p -o ${theirs} ${plain}`, [WORDS, WORDS])
    expect(await open(new Uint8Array(await readFile(theirs)))).toBe(TEXT)
  })
})

/** The tool asks at a terminal only; each question is answered when it is asked. */
function atTerminal(command: string, answers: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let asked = 0
    child.stdout.on('data', (chunk: Buffer) => {
      for (const _ of chunk.toString().matchAll(/passphrase[^:]*: /gi)) child.stdin.write(`${answers[asked++]}\n`)
    })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command}: ${code}`))))
  })
}
