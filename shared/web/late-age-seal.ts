import type { ArchiveSeal } from '#app/ports/archive-seal.ts'

const load = async (): Promise<ArchiveSeal> => (await import('./age-seal.ts')).makeAgeSeal()

/** What makes and opens archives is loaded when somebody does: no first page waits for it. */
export const lateAgeSeal: ArchiveSeal = {
  seal: async (passphrase, plain) => (await load()).seal(passphrase, plain),
  open: async (passphrase, file) => (await load()).open(passphrase, file),
}
