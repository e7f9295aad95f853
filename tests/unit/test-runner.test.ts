import { describe, expect, it } from 'vitest'
import { judge, sum } from '../../scripts/test-report.mjs'

const vitest = (passed: number, failed: number, failedSuites = failed, pending = 0) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numFailedTestSuites: failedSuites,
    numPendingTests: pending,
  })
const playwright = (expected: number, unexpected: number, skipped = 0, errors: unknown[] = []) =>
  JSON.stringify({ stats: { expected, unexpected, flaky: 0, skipped }, errors })

describe('the test runner fails closed', () => {
  it('counts what a report says when the status agrees', () => {
    expect(judge({ kind: 'vitest', status: 0, report: vitest(7, 0, 0, 2) })).toEqual({
      passed: 7,
      failed: 0,
      skipped: 2,
    })
    expect(judge({ kind: 'playwright', status: 0, report: playwright(3, 0) })).toEqual({
      passed: 3,
      failed: 0,
      skipped: 0,
    })
    expect(judge({ kind: 'status', status: 0 })).toEqual({ passed: 1, failed: 0, skipped: 0 })
  })

  it.each([
    ['a missing report', { kind: 'vitest', status: 0, report: undefined }],
    ['an empty report', { kind: 'vitest', status: 0, report: '' }],
    ['a report of another shape', { kind: 'vitest', status: 0, report: '{}' }],
    ['a report cut short', { kind: 'playwright', status: 0, report: playwright(3, 0).slice(0, -5) }],
    ['a report without its errors', { kind: 'playwright', status: 0, report: '{"stats":{"expected":3}}' }],
    ['a failing status without a failed test', { kind: 'vitest', status: 1, report: vitest(7, 0) }],
    ['a run that was killed', { kind: 'vitest', status: null, report: vitest(7, 0) }],
    ['not one test passed', { kind: 'vitest', status: 0, report: vitest(0, 0) }],
    ['all tests skipped', { kind: 'vitest', status: 0, report: vitest(0, 0, 0, 5) }],
    ['a file that did not load', { kind: 'vitest', status: 0, report: vitest(7, 0, 1) }],
    ['a failed test under a status of 0', { kind: 'vitest', status: 0, report: vitest(7, 1) }],
    ['browser tests kept from running', { kind: 'playwright', status: 0, report: playwright(3, 0, 1) }],
    ['an error outside every test', { kind: 'playwright', status: 0, report: playwright(3, 0, 0, [{}]) }],
    ['a command that fails', { kind: 'status', status: 2 }],
    ['a command that could not start', { kind: 'status', status: null }],
  ] as const)('counts %s as failed', (_name, run) => {
    expect(judge(run).failed).toBeGreaterThan(0)
  })

  it('adds suites up, and no suite at all is a failure', () => {
    const good = judge({ kind: 'vitest', status: 0, report: vitest(7, 0) })
    const bad = judge({ kind: 'vitest', status: 0, report: undefined })
    expect(sum([good, bad, good])).toEqual({ passed: 14, failed: 1, skipped: 0 })
    expect(sum([]).failed).toBe(1)
  })
})
