import type { ArchiveSeal } from '#app/ports/archive-seal.ts'
import { InputError, WireError } from '#core/errors.ts'
import { passphraseBytes } from '#core/keys/passphrase.ts'
import { AGE_HEADER_BYTES, isScryptHeader, unwrapFileKey, wrapFileKey } from './age-passphrase.ts'

/** 256 MiB, as the age tool takes. */
const LOG_N = 18

/** age (age-encryption.org/v1) by its author's package, which is loaded when somebody exports or imports. */
export function makeAgeSeal(logN = LOG_N): ArchiveSeal {
  return {
    async seal(passphrase, plain) {
      const { Encrypter, Stanza } = await import('age-encryption')
      const password = passphraseBytes(passphrase)
      const encrypter = new Encrypter()
      encrypter.addRecipient({
        wrapFileKey: async (fileKey) => {
          const { args, body } = await wrapFileKey(password, fileKey, logN)
          return [new Stanza([...args], body)]
        },
      })
      return encrypter.encrypt(plain)
    },

    async open(passphrase, file) {
      const start = new Uint8Array(await file.slice(0, AGE_HEADER_BYTES).arrayBuffer())
      if (!isScryptHeader(String.fromCharCode(...start))) throw new WireError('archive/not-one')
      const { Decrypter } = await import('age-encryption')
      const password = readWords(passphrase)
      const decrypter = new Decrypter()
      let isOpen = false
      decrypter.addIdentity({
        unwrapFileKey: async ([stanza]) => {
          const fileKey = await unwrapFileKey(password, stanza)
          isOpen = fileKey !== null
          return fileKey
        },
      })
      try {
        return named(await decrypter.decrypt(file.stream()))
      } catch (cause) {
        if (!isOpen) throw new InputError('archive/wrong', {}, { cause })
        throw new WireError('archive/damaged', { cause })
      }
    },
  }
}

/** Words that no archive can have, such as too few, are as wrong as others. */
function readWords(passphrase: string): Uint8Array {
  try {
    return passphraseBytes(passphrase)
  } catch (cause) {
    throw new InputError('archive/wrong', {}, { cause })
  }
}

/** A fault of the package as one of ours. */
function named(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        controller.error(new WireError('archive/damaged', { cause }))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
