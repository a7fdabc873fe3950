import assert from 'node:assert/strict'
import type { Budget, Credits, KeyFacts } from '@tollgate/contracts/http/current-key.ts'
import { accountShard, monthNumber, shardMarker } from '@tollgate/state/keyspace/names.ts'
import { changeAccount, changeKey, loseSpend } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, post } from '../../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../../testing/start-gateway.ts'
import type { SeededKey } from '../../testing/test-keys.ts'

const { small } = testCatalog.models
/** What a request of 10 and 20 tokens costs, nanodollars. */
const cost = (10 * small!.prices.inputPicos + 20 * small!.prices.outputPicos) / 1000
const usd = (nanos: number) => (nanos / 1e9).toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1')
const now = new Date()
const month = monthNumber(now)
const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})
t.beforeEach(() => upstream.answer(({ response }) => void answer(response)))

function answer(response: Parameters<Parameters<FakeUpstream['answer']>[0]>[0]['response']): void {
  response.setHeader('content-type', 'application/json')
  response.end('{"choices":[{"message":{}}],"usage":{"prompt_tokens":10,"completion_tokens":20}}')
}

async function read<Body>(path: string, { secret }: SeededKey): Promise<Body> {
  const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })
  const body = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(body))
  return body as Body
}
const keyOf = async (seeded: SeededKey) => (await read<{ data: KeyFacts }>('/v1/key', seeded)).data
const creditsOf = async (seeded: SeededKey) => (await read<Credits>('/v1/credits', seeded)).data
const call = (seeded: SeededKey, members: object = {}) =>
  post(gateway, seeded.secret, '/chat/completions', chatOf('small', { max_tokens: 100, ...members }))

async function spend(seeded: SeededKey): Promise<void> {
  assert.equal((await call(seeded)).status, 200)
  await gateway.settled()
}

const budget = (of: Budget['of'], limit: number, spent: number, reserved = 0): Budget => ({
  of,
  window: 'month',
  models: null,
  limit_usd: usd(limit),
  spent_usd: usd(spent),
  reserved_usd: usd(reserved),
  remaining_usd: usd(limit - spent - reserved),
  resets_at: resetsAt
})

t.test('a key reads what it may use, what it spent, and what is left', async () => {
  const expiresAt = Date.now() + 3_600_000
  const limit = 1_500_000
  const seeded = await gateway.seedKey({
    key: { label: 'Production', expiresAt, models: ['small'], monthlyBudgetNanos: limit, requestsPerMinute: 2 },
    account: { plan: 'pro', ownCapNanos: 5e9 }
  })
  const other = await gateway.seedKey({ beside: seeded, account: { plan: 'pro', ownCapNanos: 5e9 } })
  await spend(seeded)
  await spend(other)
  const { limits, ...facts } = await keyOf(seeded)
  assert.deepEqual(facts, {
    id: seeded.id,
    label: 'Production',
    plan: { id: 'pro', name: 'Test' },
    models: ['small'],
    expires_at: new Date(expiresAt).toISOString(),
    budgets: [budget('key', limit, cost), budget('account', 5e9, 2 * cost)],
    limit: limit / 1e9,
    limit_remaining: (limit - cost) / 1e9,
    limit_reset: 'monthly',
    usage: null,
    usage_daily: null,
    usage_weekly: null,
    usage_monthly: cost / 1e9,
    is_free_tier: false,
    is_management_key: false,
    is_provisioning_key: false
  })
  assert.partialDeepStrictEqual(limits, {
    requests: { of: 'key', per_minute: 2, burst: 2, left: 1 },
    tokens: { of: 'account', per_minute: 1e9, burst: 1e9 },
    concurrent_requests: { limit: 1e4, in_use: 0 }
  })
  assert.ok(limits.requests.full_in_ms > 0 && limits.requests.full_in_ms <= 30_000)
  assert.deepEqual(await creditsOf(seeded), { total_credits: 5, total_usage: (2 * cost) / 1e9 })
})

t.test('a key without a budget and without a label in its record has the account’s budget alone', async () => {
  const seeded = await gateway.seedKey()
  await spend(seeded)
  assert.partialDeepStrictEqual(await keyOf(seeded), {
    label: null,
    models: ['small', 'renamed', 'writer', 'embedder'],
    expires_at: null,
    budgets: [budget('account', testCatalog.plans.free!.caps.monthlyNanos, cost)],
    limits: { requests: { of: 'account' } },
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    usage_monthly: cost / 1e9,
    is_free_tier: true
  })
})

t.test('a running request is reserved and in use, and not yet spent', async () => {
  const seeded = await gateway.seedKey({ key: { monthlyBudgetNanos: 1e9 } })
  let end = () => {}
  const begun = new Promise<void>((resolve) =>
    upstream.answer(({ response }) => {
      end = () => answer(response)
      resolve()
    })
  )
  const running = call(seeded)
  await begun
  const { budgets, limits, limit_remaining, usage_monthly } = await keyOf(seeded)
  const reserved = Math.round(Number(budgets[0]!.reserved_usd) * 1e9)
  assert.ok(reserved > cost)
  assert.deepEqual(budgets[0], budget('key', 1e9, 0, reserved))
  assert.equal(budgets[1]!.reserved_usd, budgets[0]!.reserved_usd)
  assert.deepEqual([limits.concurrent_requests.in_use, limit_remaining, usage_monthly], [1, (1e9 - reserved) / 1e9, 0])
  assert.equal((await creditsOf(seeded)).total_usage, 0)
  end()
  await running
  await gateway.settled()
  assert.deepEqual((await keyOf(seeded)).budgets[0], budget('key', 1e9, cost))
})

t.test('what an earlier month spent is gone', async () => {
  const seeded = await gateway.seedKey({ key: { monthlyBudgetNanos: 1e9 } })
  await spend(seeded)
  const before = month % 100 === 1 ? month - 89 : month - 1
  await changeKey(gateway.control.client, seeded.account, seeded.id, { month: before })
  assert.deepEqual((await keyOf(seeded)).budgets[0], budget('key', 1e9, 0), 'the key has spent nothing in this month')
  await changeAccount(gateway.control.client, seeded.account, { month: before, reserved: 7 })
  const { budgets, usage_monthly } = await keyOf(seeded)
  assert.deepEqual(budgets, [budget('key', 1e9, 0), budget('account', 1e12, 0)])
  assert.equal(usage_monthly, 0)
  assert.deepEqual(await creditsOf(seeded), { total_credits: 1000, total_usage: 0 })
})

t.test('a key whose budget is spent still reads, and gets the numbers of the refusal', async () => {
  const adjusted = (nanos: number) => ({ adjusted: { month, nanos } })
  for (const [of, key, account] of [
    ['key', { monthlyBudgetNanos: cost + 1 }, {}],
    ['key', { monthlyBudgetNanos: 1 }, {}],
    ['account', {}, { ownCapNanos: cost + 5 }],
    ['account', { monthlyBudgetNanos: 1e9 }, { ownCapNanos: 1000, ...adjusted(990) }],
    ['account', {}, { ownCapNanos: 1000, ...adjusted(-2 * cost) }],
    ['account', {}, { ownCapNanos: 0 }],
    ['account', {}, { freeBudget: { isElsewhere: true as const } }],
    ['account', {}, { ...adjusted(-3), freeBudget: { spent: { month, nanos: 1e12 - 100 } } }],
    ['account', {}, { override: { limits: { monthlyNanos: 5000, until: null } } }]
  ] as const) {
    const what = JSON.stringify([key, account])
    const seeded = await gateway.seedKey()
    await spend(seeded)
    await gateway.changeKey(seeded, key)
    await gateway.changeAccount(seeded, account)
    const refused = await call(seeded, { max_tokens: 5000, user: 'x'.repeat(1000) })
    const { error } = (await refused.json()) as { error: Budget & { scope: string } }
    assert.equal(refused.status, 402, what)
    const { budgets } = await keyOf(seeded)
    const found = budgets.find((one) => one.of === of)!
    assert.deepEqual(
      [of, found.limit_usd, found.spent_usd, found.reserved_usd],
      [error.scope, error.limit_usd, error.spent_usd, error.reserved_usd],
      what
    )
    const { total_credits, total_usage } = await creditsOf(seeded)
    const ofAccount = budgets.find((one) => one.of === 'account')!
    const left = Math.round((total_credits - total_usage) * 1e9)
    assert.equal(usd(Math.max(0, left)), ofAccount.remaining_usd, what)
  }
})

t.test('the rates are those of the headers', async () => {
  for (const requestsPerMinute of [null, 3]) {
    const override = { limits: { requestsPerMinute: 9, tokensPerMinute: 5000, until: null } }
    const seeded = await gateway.seedKey({ key: { requestsPerMinute }, account: { override } })
    await spend(seeded)
    const { headers } = await call(seeded)
    await gateway.settled()
    const { requests, tokens } = (await keyOf(seeded)).limits
    assert.deepEqual([requests.of, requests.per_minute, requests.left].map(String), [
      requestsPerMinute === null ? 'account' : 'key',
      headers.get('x-ratelimit-limit-requests'),
      headers.get('x-ratelimit-remaining-requests')
    ])
    assert.equal(tokens.per_minute, 5000)
    assert.ok(tokens.left > Number(headers.get('x-ratelimit-remaining-tokens')) && tokens.left < 5000)
  }
})

t.test('while the spend is not known, no number is answered', async () => {
  const seeded = await gateway.seedKey()
  await spend(seeded)
  const marker = shardMarker(accountShard(seeded.account))
  const refusals = async () =>
    Promise.all(
      ['/v1/key', '/v1/credits'].map(async (path) => {
        const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${seeded.secret}` } })
        const { error } = (await answer.json()) as { error?: { code: string } }
        return `${answer.status} ${error?.code}`
      })
    )
  const unavailable = '503 state_unavailable'
  await loseSpend(gateway.control.client, seeded.account)
  assert.deepEqual(await refusals(), [unavailable, unavailable])
  await changeAccount(gateway.control.client, seeded.account, { month })
  assert.equal((await keyOf(seeded)).usage_monthly, 0)
  await gateway.control.client.del(marker)
  assert.deepEqual(await refusals(), [unavailable, unavailable])
})
