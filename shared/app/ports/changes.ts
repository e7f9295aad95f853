import type { Change } from '../face.ts'

export type { Change } from '../face.ts'

/** Tells every context of this origin that something in the store, or the connection, is not what it was. */
export interface Changes {
  announce(change: Change): void
  subscribe(listener: (change: Change) => void): () => void
}
