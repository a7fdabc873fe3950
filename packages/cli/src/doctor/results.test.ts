import assert from 'node:assert/strict'
import { test } from 'tap'
import { hideSecrets, listSecrets, printJson, printResults, resultsOf } from './results.ts'

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

const env = {
  STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_new0123456789, whsec_old0123456789',
  DATABASE_URL: 'postgres://tollgate:p%40ssword-1234@db.example.com/tollgate',
  REDIS_URL: 'redis+sentinel://:redis-password@host/main?sentinel_password=sentinel-password',
  OPENAI_AUTH: 'bearer-of-openai',
  PUBLIC_URL: 'https://app.example.com'
}
const secrets = listSecrets(env, ['OPENAI_AUTH'])

test('of a secret at most four characters remain, in any text', async () => {
  const text = [
    ...['sk_live_0123456789abcdef', 'whsec_new0123456789', 'whsec_old0123456789', 'p%40ssword-1234', 'p@ssword-1234'],
    ...['redis-password', 'sentinel-password', 'bearer-of-openai', ...Object.values(env)]
  ].join(' | ')
  const hidden = hideSecrets(text, secrets)
  for (const secret of [...secrets, '0123456789', 'word-1234', '-password', 'of-openai']) {
    assert.ok(!hidden.includes(secret), `${secret} in ${hidden}`)
  }
  assert.match(hidden, /^sk_l… \| whse… /)
  assert.match(hidden, /https:\/\/app\.example\.com$/)
})

test('the user part of any URL is hidden, also of one that no variable has', async () => {
  const hidden = hideSecrets('connect to https://user:secret@proxy.example.com:8080/x failed', [])
  assert.equal(hidden, 'connect to https://…@proxy.example.com:8080/x failed')
})
