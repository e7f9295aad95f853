import type { CiphersuiteImpl } from 'ts-mls/crypto/ciphersuite.js'
import type { Group } from '#core/mls/index.ts'
import type { Forgery } from '../../unit/core/mls/forge.ts'

export { commitForged } from './forged-commit.ts'

/** An update of which the `nth` sealed path secret opens for nobody: whoever is below that node alone can't follow. */
export function breakingPath(nth: number): (group: Group) => Pick<Forgery, 'proposals'> {
  let sealed = 0
  const bend = (cs: CiphersuiteImpl): CiphersuiteImpl => ({
    ...cs,
    hpke: {
      ...cs.hpke,
      seal: async (...args) => {
        const { ct, enc } = await cs.hpke.seal(...args)
        return { enc, ct: sealed++ === nth ? ct.map((byte) => byte ^ 1) : ct }
      },
    },
  })
  const forgery: Forgery = { proposals: [], bend }
  return () => forgery
}
