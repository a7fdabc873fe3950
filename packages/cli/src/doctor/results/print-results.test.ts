import assert from 'node:assert/strict'
import { test } from 'tap'
import { printJson, printResults } from './print-results.ts'
import { resultsOf } from './result.ts'

const results = [
  resultsOf('Redis').error('redis_eviction', {
    what: 'Redis may remove\nkeys.',
    why: 'Caps fail.',
    fix: 'CONFIG SET …'
  }),
  resultsOf('settings').ok('14 variables are set.'),
  resultsOf('Stripe').skipped('Not checked: STRIPE_SECRET_KEY is not valid.')
]

test('the report for people is aligned and ordered, a line for each right thing and three for a finding', async () => {
  assert.equal(
    printResults(results, false),
    `settings    ok       14 variables are set.
Redis       error    Redis may remove keys.
                     Why: Caps fail.
                     Do:  CONFIG SET …
Stripe      skipped  Not checked: STRIPE_SECRET_KEY is not valid.

1 error, 0 warnings.
`
  )
})

test('terminals get colours, and other servers cannot write control codes to them', async () => {
  const [evil] = [resultsOf('Stripe').ok('\u001b[2Jgone')]
  const text = printResults([evil!], true)
  assert.ok(text.includes('\u001b[32mok       \u001b[39mgone\n'))
})

test('the report for programs has counts and codes', async () => {
  const report = JSON.parse(printJson(results))
  assert.deepEqual([report.ok, report.errors, report.warnings], [false, 1, 0])
  assert.deepEqual(
    report.results.map(({ part, severity, code }: { part: string; severity: string; code?: string }) => [
      part,
      severity,
      code
    ]),
    [
      ['settings', 'ok', undefined],
      ['Redis', 'error', 'redis_eviction'],
      ['Stripe', 'skipped', undefined]
    ]
  )
})
