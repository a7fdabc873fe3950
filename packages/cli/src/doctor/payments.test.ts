import assert from 'node:assert/strict'
import { test } from 'tap'
import type { PaymentsFacts } from './payment-objects.ts'
import { judgePayments } from './payments.ts'

const publicUrl = 'https://app.example.com'
const enabled = { enabled: true }
const right: PaymentsFacts = {
  prices: new Map(),
  endpoints: {
    kind: 'found',
    value: [{ url: `${publicUrl}/api/billing/webhook`, status: 'enabled', enabled_events: ['*'] }]
  },
  portal: {
    kind: 'found',
    value: { features: { subscription_update: enabled, subscription_cancel: enabled, payment_method_update: enabled } }
  },
  refunds: { kind: 'found', value: true },
  skewMs: 0
}
const settings = { publicUrl, secretKey: 'sk_live_x', webhookSecrets: ['whsec_0123456789abcdef'], isEmbedded: false }
const refused = (status: number) => ({ kind: 'refused', status, message: 'no' }) as const

const cases: Array<[name: string, facts: PaymentsFacts, change: Partial<typeof settings>, codes: string[]]> = [
  ['a live account', right, {}, []],
  ['a restricted live key', right, { secretKey: 'rk_live_x' }, []],
  ['a test key on the Internet', right, { secretKey: 'rk_test_x' }, ['payments_test_key']],
  ['the embedded server of npm start', right, { secretKey: 'sk_test_x', isEmbedded: true }, []],
  [
    'a refused key is told once',
    { ...right, endpoints: refused(401), portal: refused(401), refunds: refused(401) },
    {},
    ['payments_key_refused']
  ],
  ['a key that may not read the portal', { ...right, portal: refused(403) }, {}, ['portal_unreadable']],
  ['a key that may not read refunds', { ...right, refunds: refused(403) }, {}, ['refunds_unreadable']],
  [
    'a price that Stripe does not have',
    { ...right, prices: new Map([['price_1', { kind: 'absent' }]]) },
    {},
    ['price_absent']
  ]
]

for (const [name, facts, change, codes] of cases) {
  test(name, async () => {
    const limits = { requestsPerMinute: 1, burstRequests: 1, tokensPerMinute: 1, burstTokens: 1, concurrentRequests: 1 }
    const price = { id: 'price_1', interval: 'month', amount: 1, currency: 'usd', isSold: true } as const
    const prices = facts.prices.size > 0 ? { prices: [price] } : {}
    const caps = { requestNanos: 1, monthlyNanos: 1 }
    const pro = { name: 'Pro', entitlements: [], keyQuota: 1, seats: 1, models: [], limits, caps, ...prices }
    const results = judgePayments(facts, { models: {}, plans: { pro } }, { ...settings, ...change })
    assert.deepEqual(
      results.flatMap((one) => ('code' in one ? [one.code] : [])),
      codes
    )
  })
}
