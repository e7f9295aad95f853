import type { Deps } from '../deps.ts'

export async function settleAsks(_deps: Deps): Promise<void> {}
