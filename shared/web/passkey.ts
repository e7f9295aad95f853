import type { PasskeyAnswer, Passkeys } from '#app/ports/passkey.ts'
import { systemDice } from '#core/crypto/random.ts'
import { source } from '#core/crypto/source.ts'
import { InputError } from '#core/errors.ts'

const CHALLENGE_BYTES = 32
const ES256 = -7
const EDDSA = -8
const RS256 = -257

/**
 * WebAuthn level 3, PRF extension. No server checks the signature, so the challenge is random and forgotten: what counts are the
 * secret bytes, which the authenticator gives only after it has verified the person.
 */
export const webPasskeys: Passkeys = {
  async create({ userHandle, name, prfSalt }) {
    const made = await ask(() =>
      navigator.credentials.create({
        publicKey: {
          rp: { name: 'Stave' },
          user: { id: source(userHandle), name, displayName: name },
          challenge: source(systemDice(CHALLENGE_BYTES)),
          pubKeyCredParams: [EDDSA, ES256, RS256].map((alg) => ({ type: 'public-key', alg })),
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          attestation: 'none',
          extensions: { prf: { eval: { first: source(prfSalt) } } },
        },
      }),
    )
    const credentialId = new Uint8Array(made.rawId)
    const { prf } = made.getClientExtensionResults()
    if (prf?.results === undefined && prf?.enabled !== true) throw new InputError('passkey/unsupported')
    if (prf.results === undefined) return webPasskeys.get({ credentialId, prfSalt })
    return { credentialId, userHandle, prf: bytesOf(prf.results.first) }
  },

  async get({ credentialId, prfSalt }): Promise<PasskeyAnswer> {
    const allowed = credentialId === undefined ? [] : [{ type: 'public-key' as const, id: source(credentialId) }]
    const got = await ask(() =>
      navigator.credentials.get({
        publicKey: {
          challenge: source(systemDice(CHALLENGE_BYTES)),
          allowCredentials: allowed,
          userVerification: 'required',
          extensions: { prf: { eval: { first: source(prfSalt) } } },
        },
      }),
    )
    const first = got.getClientExtensionResults().prf?.results?.first
    if (first === undefined) throw new InputError('passkey/unsupported')
    const { userHandle } = got.response as AuthenticatorAssertionResponse
    return {
      credentialId: new Uint8Array(got.rawId),
      userHandle: new Uint8Array(userHandle ?? new ArrayBuffer(0)),
      prf: bytesOf(first),
    }
  },
}

/** Whether this browser's passkeys can hold a secret at all; where it can't be asked, the act itself says so. */
export async function hasPasskeys(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  const able = await PublicKeyCredential.getClientCapabilities?.()
  return able?.['extension:prf'] !== false
}

async function ask(run: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (typeof PublicKeyCredential === 'undefined') throw new InputError('passkey/unsupported')
  try {
    const answer = await run()
    if (answer instanceof PublicKeyCredential) return answer
  } catch (cause) {
    throw new InputError(codeOf(cause), {}, { cause })
  }
  throw new InputError('passkey/failed')
}

function codeOf(cause: unknown): string {
  const name = cause instanceof DOMException ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return 'passkey/none' // also: nobody answered in time
  if (name === 'NotSupportedError' || name === 'SecurityError') return 'passkey/unsupported'
  return 'passkey/failed'
}

function bytesOf(secret: BufferSource): Uint8Array {
  return ArrayBuffer.isView(secret)
    ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength).slice()
    : new Uint8Array(secret).slice()
}
