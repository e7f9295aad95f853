import { equalBytes } from '#core/bytes/equal.ts'

type Numbered = { readonly sequence: number; readonly manifest: Uint8Array }

/** K-05: a higher number replaces a lower one. Two manifests of one number: the first stays, and the second is told. */
export function judgeManifest(there: Numbered | undefined, offered: Numbered): 'newer' | 'same' | 'older' | 'other' {
  if (there === undefined || offered.sequence > there.sequence) return 'newer'
  if (offered.sequence < there.sequence) return 'older'
  return equalBytes(offered.manifest, there.manifest) ? 'same' : 'other'
}
