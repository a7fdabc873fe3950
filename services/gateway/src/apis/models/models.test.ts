import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { ModelList } from '@tollgate/contracts/http/models.ts'
import type { ListedPrices } from '@tollgate/contracts/prices/model-prices.ts'
import t from 'tap'
import { startFakeUpstream } from '../../testing/fake-upstream.ts'
import { startGateway, testCatalog } from '../../testing/start-gateway.ts'

t.test('a key sees only the models that it may use', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const seeded = await gateway.seedKey({ account: { plan: 'free' } })
  const get = async (path: string) => {
    const response = await fetch(`${gateway.url}/v1/models${path}`, {
      headers: { authorization: `Bearer ${seeded.secret}` }
    })
    return { status: response.status, body: await response.json() }
  }
  const ids = async () => {
    const { body } = await get('')
    return (body as { data: Array<{ id: string }> }).data.map(({ id }) => id)
  }
  assert.deepEqual((await get('/small')).body, {
    id: 'small',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'tests',
    supported_features: ['prompt_caching'],
    endpoints: ['/v1/chat/completions'],
    context_length: 128_000,
    top_provider: { context_length: 128_000, max_completion_tokens: 16_384 },
    pricing: { prompt: '0.00000015', input_cache_read: '0.000000075', completion: '0.0000006', request: '0' }
  })
  assert.partialDeepStrictEqual(await get('/embedder'), { body: { top_provider: { max_completion_tokens: null } } })
  assert.deepEqual(await ids(), ['small', 'renamed', 'writer', 'embedder'])
  assert.partialDeepStrictEqual(await get('/large'), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  assert.partialDeepStrictEqual(await get('/none'), { status: 403, body: { error: { code: 'model_not_allowed' } } })
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'active' })
  assert.deepEqual(await ids(), ['small', 'large', 'renamed', 'writer', 'embedder'])
  await gateway.changeKey(seeded, { models: ['large'] })
  assert.deepEqual(await ids(), ['large'])
  await gateway.changeKey(seeded, { status: 'revoked' })
  assert.partialDeepStrictEqual(await get(''), { status: 401, body: { error: { code: 'revoked_api_key' } } })
})

t.test('lists of models and other reads share a rate per key', async (t) => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const [one, other] = [await gateway.seedKey(), await gateway.seedKey()]
  const list = async ({ secret }: typeof one, path = '/v1/models') => {
    const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
    await answer.text()
    return answer
  }
  for (let served = 0; served < 600; served += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => list(one)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  }
  const refused = await list(one)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  for (const path of ['/v1/key', '/v1/credits']) assert.equal((await list(one, path)).status, 429)
  assert.equal((await list(other)).status, 200)
})

t.test('a key sees what its account pays, and never what a provider bills', async (t) => {
  const upstream = await startFakeUpstream()
  const { models, plans } = testCatalog
  const [small, pro] = [models.small!, plans.pro!]
  const listed = (inputPicos: number): ListedPrices => ({ inputPicos, cachedInputPicos: 70_000, outputPicos: 900_000 })
  const rows = (inputPicos: number) => [{ tier: 'default', abovePromptTokens: 0, prices: listed(inputPicos) }]
  const from = Math.ceil(Date.now() / 1000) + 86_400
  const free = { inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 }
  const catalog: Catalog = {
    models: {
      ...models,
      small: {
        ...small,
        aliases: ['small-latest'],
        prices: { ...small.prices, inputPicos: 123_457 },
        retail: { ...listed(200_000), periods: [{ rows: rows(200_000) }, { from, rows: rows(300_001) }] }
      },
      large: { ...models.large!, retail: free }
    },
    plans: { ...plans, pro: { ...pro, priceGroup: 'partners' } },
    priceGroups: { partners: 0.5, friends: 0 }
  }
  const gateway = await startGateway(upstream.url, { catalog })
  t.teardown(async () => {
    await gateway.close()
    await upstream.close()
  })
  const seeded = await gateway.seedKey({ account: { plan: 'free' } })
  const pricesOf = async (model: string) => {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${seeded.secret}` } })
    const text = await answer.text()
    assert.doesNotMatch(text, /123457/)
    const { pricing, upcoming_pricing: upcoming = [] } = (JSON.parse(text) as ModelList).data.find(
      ({ id }) => id === model
    )!
    return [pricing.prompt, pricing.completion, ...upcoming.flatMap(({ from, pricing }) => [from, pricing.prompt])]
  }
  const change = new Date(from * 1000).toISOString()
  assert.deepEqual(await pricesOf('small'), ['0.0000002', '0.0000009', change, '0.000000300001'])
  assert.deepEqual(await pricesOf('small-latest'), await pricesOf('small'))
  await gateway.changeAccount(seeded, { plan: 'pro', status: 'active' })
  assert.deepEqual(await pricesOf('small'), ['0.0000001', '0.00000045', change, '0.000000150001'])
  assert.deepEqual(await pricesOf('large'), ['0', '0'])
  const friend = (until: number | null) => ({ plan: 'pro', override: { limits: { priceGroup: 'friends', until } } })
  await gateway.changeAccount(seeded, friend(null))
  assert.deepEqual(await pricesOf('small'), ['0', '0'])
  await gateway.changeAccount(seeded, friend(Date.now() - 1000))
  assert.deepEqual((await pricesOf('small'))[0], '0.0000001')
})
