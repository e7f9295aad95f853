import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(process.env.STAVE_VECTORS ?? '../shared/vectors')

/** The working group's cases of one kind; none, and a line that says so, where the files are not there. */
export function mlsVectors<Case>(kind: string): readonly Case[] {
  const file = resolve(folder, `mls-${kind}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  console.error(`skipped: no MLS vectors at ${file}`)
  return []
}

export const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

export function decoded<T>(decode: (bytes: Uint8Array, offset: number) => [T, number] | undefined, hex: string): T {
  const found = decode(fromHex(hex), 0)
  if (found === undefined) throw new Error('does not decode')
  return found[0]
}
