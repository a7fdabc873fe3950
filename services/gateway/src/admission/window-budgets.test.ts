import assert from 'node:assert/strict'
import type { KeyFacts } from '@tollgate/contracts/http/current-key.ts'
import { formatNanos } from '@tollgate/contracts/money/usd.ts'
import { windowEnds, windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { changeBudget, readState } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const { small } = testCatalog.models
/** What a request of 10 and 20 tokens costs, nanodollars. */
const cost = (10 * small!.prices.inputPicos + 20 * small!.prices.outputPicos) / 1000

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  gateway = await startGateway(upstream.url)
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"choices":[{"message":{}}],"usage":{"prompt_tokens":10,"completion_tokens":20}}')
  })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const ask = async (seeded: SeededKey, model = 'small') => {
  const answer = await post(gateway, seeded.secret, '/chat/completions', chatOf(model, { max_tokens: 100 }))
  const { error } = (await answer.json()) as { error?: Record<string, string> }
  await gateway.settled()
  return { status: answer.status, error, left: answer.headers.get('x-tollgate-budget-remaining-usd') }
}

async function keyOf({ secret }: SeededKey): Promise<KeyFacts> {
  const answer = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } })
  return ((await answer.json()) as { data: KeyFacts }).data
}

/** Puts an account's counter of a budget into a window. */
const spendIn = (seeded: SeededKey, field: string, window: number, settled: number) =>
  changeBudget(gateway.control.client, seeded.account, field, { window, settled, reserved: 0 })

t.test('each budget refuses with its own scope, window and amounts, and says when it resets', async () => {
  const nanos = 4 * cost
  for (const [of, budget, records] of [
    ['key', { id: 1, window: 'day', nanos }, 'key'],
    ['account', { id: 2, window: 'week', nanos }, 'account'],
    ['member', { id: 3, window: 'month', nanos, member: 'somebody' }, 'account'],
    ['key', { id: 4, window: 'lifetime', nanos }, 'key'],
    ['key', { id: 5, window: 'day', nanos, models: ['small'] }, 'key']
  ] as ReadonlyArray<[string, WindowBudget, 'key' | 'account']>) {
    const seeded = await gateway.seedKey({ key: { member: 'somebody' } })
    if (records === 'key') await gateway.changeKey(seeded, { member: 'somebody', budgets: [budget] })
    else await gateway.changeAccount(seeded, { budgets: [budget] })
    let served = 0
    let { status, error } = await ask(seeded)
    for (; status === 200; served++) ({ status, error } = await ask(seeded))
    assert.ok(served > 0 && status === 402, JSON.stringify(budget))
    const endsAt = windowEnds(budget.window, windowNumber(budget.window, Date.now()))
    assert.partialDeepStrictEqual(error, {
      code: 'budget_exceeded',
      scope: of,
      window: budget.window,
      limit_usd: formatNanos(nanos),
      spent_usd: formatNanos(served * cost),
      reserved_usd: '0.00',
      ...(budget.models && { models: 'small' })
    })
    assert.equal(error!.resets_at, endsAt === null ? undefined : new Date(endsAt).toISOString())
    if (budget.models !== undefined)
      assert.equal((await ask(seeded, 'renamed')).status, 200, 'another model is not counted')
  }
})

t.test('what an earlier window spent does not count, and a full one says when it resets', async () => {
  const seeded = await gateway.seedKey({ key: { budgets: [{ id: 1, window: 'day', nanos: 1e9 }] } })
  const today = windowNumber('day', Date.now())
  await spendIn(seeded, 'bd:1', today - 1, 1e9)
  assert.equal((await ask(seeded)).status, 200)
  await spendIn(seeded, 'bd:1', today, 1e9)
  const { error } = await ask(seeded)
  assert.equal(error!.resets_at, new Date(windowEnds('day', today)!).toISOString())
})

t.test('a member’s budget counts all keys of that person, and no others', async () => {
  const budgets: WindowBudget[] = [{ id: 1, window: 'day', nanos: 1e9, member: 'ann' }]
  const first = await gateway.seedKey({ key: { member: 'ann' }, account: { budgets } })
  const second = await gateway.seedKey({ beside: first, key: { member: 'ann' }, account: { budgets } })
  const other = await gateway.seedKey({ beside: first, key: { member: 'bob' }, account: { budgets } })
  for (const one of [first, second, other]) await ask(one)
  const ofMember = (data: KeyFacts) =>
    data.budgets.filter(({ of }) => of === 'member').map(({ spent_usd }) => spent_usd)
  assert.deepEqual(ofMember(await keyOf(first)), [formatNanos(2 * cost)])
  assert.deepEqual(ofMember(await keyOf(other)), [])
})

t.test('a key reads its budgets with a window', async () => {
  const seeded = await gateway.seedKey({
    key: {
      budgets: [
        { id: 1, window: 'lifetime', nanos: 3 * cost },
        { id: 2, window: 'week', nanos: 9 * cost, models: ['writer'] },
        { id: 3, window: 'day', nanos: 9 * cost }
      ]
    }
  })
  await ask(seeded)
  const data = await keyOf(seeded)
  // What no budget counts, nobody counts.
  assert.partialDeepStrictEqual(data, { usage: cost / 1e9, usage_daily: cost / 1e9, usage_weekly: null })
  const [, lifetime, week] = data.budgets
  assert.partialDeepStrictEqual(lifetime, {
    of: 'key',
    window: 'lifetime',
    spent_usd: formatNanos(cost),
    resets_at: null
  })
  assert.partialDeepStrictEqual(week, { window: 'week', models: ['writer'], spent_usd: '0.00' })
  assert.partialDeepStrictEqual(data, { limit: (3 * cost) / 1e9, limit_remaining: (2 * cost) / 1e9, limit_reset: null })
})

t.test('a key that names a cheaper model gets it where a budget refuses, and the answer says so', async () => {
  const names: unknown[] = []
  upstream.answer(({ body, response }) => {
    names.push((JSON.parse(body) as { model: string }).model)
    response.setHeader('content-type', 'application/json')
    response.end('{"choices":[{"message":{}}],"usage":{"prompt_tokens":10,"completion_tokens":20}}')
  })
  const budgets: WindowBudget[] = [{ id: 1, window: 'day', nanos: 0, models: ['small'] }]
  const seeded = await gateway.seedKey({ key: { budgets, onExhausted: 'renamed' } })
  const send = () => post(gateway, seeded.secret, '/chat/completions', chatOf('small', { max_tokens: 100 }))
  const answer = await send()
  assert.deepEqual([answer.status, answer.headers.get('x-tollgate-model')], [200, 'renamed'])
  await gateway.settled()
  assert.deepEqual(names, [testCatalog.models.renamed!.route[0]!.model])
  const { usage } = await readState(gateway.control.client, seeded.account)
  assert.ok([...usage.keys()].every((name) => name.endsWith('|renamed')) && usage.size > 0)
  // Without room for the other model either, the first refusal is answered.
  await gateway.changeKey(seeded, { budgets: [...budgets, { id: 2, window: 'week', nanos: 0 }] })
  const { error } = (await (await send()).json()) as { error: Record<string, string> }
  assert.deepEqual([error.code, error.window, error.models], ['budget_exceeded', 'day', 'small'])
  const other = await post(gateway, seeded.secret, '/embeddings', { model: 'embedder', input: 'x' })
  assert.equal(other.status, 402)
})
