import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { readRedisTime } from '@tollgate/state/link/redis-link.ts'
import t from 'tap'
import { chatOf, outcomeOf, post } from '../testing/client.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import type { SeededKey } from '../testing/test-keys.ts'

const small = testCatalog.models.small!
const free = testCatalog.plans.free!
const catalog: Catalog = {
  models: { small, large: small },
  plans: {
    free: {
      ...free,
      models: ['small'],
      caps: { ...free.caps, monthlyNanos: 1e9 },
      limits: { ...free.limits, requestsPerMinute: 60_000, burstRequests: 60_000 }
    },
    better: { ...free, models: ['small', 'large'], caps: { ...free.caps, monthlyNanos: 1e9 } }
  }
}

let upstream: FakeUpstream
let gateway: TestGateway
t.before(async () => {
  upstream = await startFakeUpstream()
  upstream.answer(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: {} }], usage: { prompt_tokens: 10, completion_tokens: 20 } }))
  })
  gateway = await startGateway(upstream.url, { catalog })
})
t.teardown(async () => {
  await gateway.close()
  await upstream.close()
})

const ask = async (seeded: SeededKey, model = 'small'): Promise<string> =>
  outcomeOf(await post(gateway, seeded.secret, '/chat/completions', chatOf(model)))
const models = async ({ secret }: SeededKey): Promise<string[]> => {
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
  return ((await answer.json()) as { data: Array<{ id: string }> }).data.map(({ id }) => id)
}
const soon = async () => Math.ceil((await readRedisTime(gateway.control)) + 400)
/** An end that no test reaches. */
const later = async () => (await soon()) + 3_600_000

t.test('an operator’s plan applies until it ends, also at a gateway that hears nothing of the end', async () => {
  const seeded = await gateway.seedKey({ account: { override: { plan: { id: 'better', until: await later() } } } })
  assert.deepEqual(await models(seeded), ['small', 'large'])
  assert.equal(await ask(seeded, 'large'), '200')
  const until = await soon()
  await gateway.changeAccount(seeded, { override: { plan: { id: 'better', until } } })
  let outcome = '200'
  while (outcome === '200') outcome = await ask(seeded, 'large')
  assert.equal(outcome, '403 model_not_allowed')
  assert.ok((await readRedisTime(gateway.control)) >= until, 'not before its end')
  assert.equal(await ask(seeded), '200')
  assert.deepEqual(await models(seeded), ['small'])
})

t.test('an override whose end has passed never applies', async () => {
  const seeded = await gateway.seedKey({
    account: { override: { plan: { id: 'better', until: 1 }, limits: { monthlyNanos: 0, until: 1 } } }
  })
  assert.equal(await ask(seeded, 'large'), '403 model_not_allowed')
  assert.equal(await ask(seeded), '200')
})

t.test('each of an operator’s limits replaces the plan’s, lower or higher', async () => {
  const limited = (limits: object) => gateway.seedKey({ account: { override: { limits: { ...limits, until: null } } } })
  assert.equal(await ask(await limited({ monthlyNanos: 1 })), '402 monthly_budget_exceeded')
  assert.equal(await ask(await limited({ requestNanos: 1 })), '402 request_budget_exceeded')
  const slow = await limited({ requestsPerMinute: 1 })
  assert.equal(await ask(slow), '200')
  assert.equal(await ask(slow), '429 requests_per_minute')
  assert.equal(await ask(await limited({ tokensPerMinute: 5 })), '400 exceeds_rate_limit')
})

t.test('a raised limit ends exactly at its end', async () => {
  const raised = (until: number) => ({
    ownCapNanos: null,
    override: { limits: { requestsPerMinute: 1_000_000, until } }
  })
  const seeded = await gateway.seedKey({ account: raised(await later()) })
  const limitShown = async () => {
    const answer = await post(gateway, seeded.secret, '/chat/completions', chatOf('small'))
    await answer.arrayBuffer()
    return answer.headers.get('x-ratelimit-limit-requests')
  }
  assert.equal(await limitShown(), '1000000')
  const until = await soon()
  await gateway.changeAccount(seeded, raised(until))
  let shown = '1000000'
  while (shown === '1000000') shown = (await limitShown())!
  assert.equal(shown, '60000')
  assert.ok((await readRedisTime(gateway.control)) >= until)
})

t.test('a charge counts towards the cap, a credit makes room, and both only in their month', async () => {
  const month = monthNumber(new Date())
  const adjusted = (nanos: number, of = month) => gateway.seedKey({ account: { adjusted: { month: of, nanos } } })
  assert.equal(await ask(await adjusted(1e9)), '402 monthly_budget_exceeded')
  assert.equal(await ask(await adjusted(1e9, month - 1)), '200')
  const spent = await gateway.seedKey({ account: { ownCapNanos: 0 } })
  assert.equal(await ask(spent), '402 monthly_budget_exceeded')
  await gateway.changeAccount(spent, { ownCapNanos: 0, adjusted: { month, nanos: -1e9 } })
  assert.equal(await ask(spent), '200')
})

t.test('when an override ends, no request of several at once is refused, and a longer limit stays', async () => {
  const until = await soon()
  const seeded = await gateway.seedKey({
    account: { override: { plan: { id: 'better', until }, limits: { requestNanos: 1, until: await later() } } }
  })
  const spender = await gateway.seedKey({ account: { override: { plan: { id: 'better', until } } } })
  const ended = new Set<string>()
  do {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ask(spender)))
    for (const outcome of outcomes) ended.add(outcome)
    const refused = await Promise.all(Array.from({ length: 8 }, () => ask(seeded)))
    assert.deepEqual([...new Set(refused)], ['402 request_budget_exceeded'])
  } while ((await readRedisTime(gateway.control)) < until + 200)
  assert.deepEqual([...ended], ['200'])
})
