import type { Env } from '../env.ts'

/** What an operation runs in. `session` is the id of the connection's object, to which a mailbox sends its pushes. */
export type OpContext = { readonly env: Env; readonly session: string }
