import { SUITE_CLASSICAL, SUITE_XWING, type SuiteId } from '#core/mls/index.ts'
import type { PackageSuite } from '#core/wire/operations.ts'

/** How the relay calls a suite. */
export function packageSuite(suite: SuiteId): PackageSuite {
  return suite === SUITE_CLASSICAL ? 'classical' : 'xwing'
}

/**
 * Of each suite: how many key packages lie at the account at once, and below which number they are made up again. Groups
 * for more than 250 devices are few, so that few classical ones do.
 */
export const PUBLISHED: readonly { readonly suite: SuiteId; readonly full: number; readonly low: number }[] = [
  { suite: SUITE_XWING, full: 16, low: 8 },
  { suite: SUITE_CLASSICAL, full: 4, low: 2 },
]
