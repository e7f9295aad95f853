import { fromBase64url, toBase64url } from '#core/bytes/base64url.ts'
import { WireError } from '#core/errors.ts'
import { showsTwoLogs, type TwoLogs } from '#core/identity/two-logs.ts'
import { decodeCbor, encodeCbor } from '#core/wire/cbor.ts'
import { HASH_BYTES } from '#core/wire/ids.ts'
import { fixed, list, object, uint } from '#core/wire/schema.ts'

const VERSION = 1
const KEY_BYTES = 32
const MAX_PATH = 64
const MAX_BYTES = 4096
const head = object({ size: uint(), root: fixed(HASH_BYTES), signature: fixed(64) })
const proof = object({
  v: uint(255),
  listKey: fixed(KEY_BYTES),
  ours: head,
  theirs: head,
  path: list(fixed(HASH_BYTES), MAX_PATH),
})

/** What a person hands on, so that anybody can check it who knows the realm's list key (TRC12). */
export function proofText({ ours, theirs, path }: TwoLogs, listKey: Uint8Array): string {
  return toBase64url(encodeCbor({ v: VERSION, listKey, ours, theirs, path: [...path] }))
}

/** @returns the list key whose holder keeps two logs; undefined where the text does not show it */
export async function checkProof(text: string): Promise<Uint8Array | undefined> {
  try {
    const { v, listKey, ...twoLogs } = proof.check(decodeCbor(fromBase64url(text), MAX_BYTES))
    if (v !== VERSION) return undefined
    return (await showsTwoLogs(twoLogs, listKey)) ? listKey : undefined
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}
