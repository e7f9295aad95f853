/**
 * What a suite of tests comes to. The exit status is the truth and the report only counts: a suite that did not start
 * leaves no failed test behind, so whatever is missing, empty or contradictory counts as failed.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {Counts & { why?: string }} Verdict
 * @typedef {'vitest' | 'playwright' | 'status'} Kind 'status': a command that writes no report
 */

/**
 * @param {{ kind: Kind, status: number | null, report?: string | undefined }} run
 * @returns {Verdict}
 */
export function judge({ kind, status, report }) {
  if (kind === 'status') return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : broken(`exit ${status}`)
  if (report === undefined) return broken(`no report, exit ${status}`)
  const counts = read(kind, report)
  if (counts === undefined) return broken(`a report that can't be read, exit ${status}`)
  if (counts.failed > 0) return counts
  if (status !== 0) return { ...counts, failed: 1, why: `exit ${status} without a failed test` }
  if (counts.passed === 0) return { ...counts, failed: 1, why: 'not one test passed' }
  return counts
}

/** @param {string} why @returns {Verdict} */
const broken = (why) => ({ passed: 0, failed: 1, skipped: 0, why })

/** @param {'vitest' | 'playwright'} kind @param {string} text @returns {Counts | undefined} */
function read(kind, text) {
  try {
    const report = JSON.parse(text)
    const counts = kind === 'vitest' ? readVitest(report) : readPlaywright(report.stats, report.errors)
    return Object.values(counts).every(Number.isSafeInteger) ? counts : undefined
  } catch {
    return undefined
  }
}

/** @param {Record<string, number>} report */
function readVitest(report) {
  const { numPassedTests = NaN, numFailedTests = NaN, numFailedTestSuites = NaN, numPendingTests = NaN } = report
  // A file that does not load fails as a suite and has no tests to fail.
  const failed = numFailedTests === 0 && numFailedTestSuites > 0 ? numFailedTestSuites : numFailedTests
  return { passed: numPassedTests, failed, skipped: numPendingTests }
}

/** A test that was skipped here is one that another's failure kept from running. @param {Record<string, number>} stats @param {unknown[]} errors */
function readPlaywright({ expected = NaN, unexpected = NaN, flaky = NaN, skipped = NaN }, errors) {
  return { passed: expected, failed: unexpected + flaky + skipped + errors.length, skipped: 0 }
}

/** @param {readonly Verdict[]} verdicts @returns {Counts} */
export function sum(verdicts) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const { passed, failed, skipped } of verdicts) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  if (verdicts.length === 0) total.failed = 1
  return total
}
