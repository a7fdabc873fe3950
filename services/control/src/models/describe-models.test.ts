import assert from 'node:assert/strict'
import type { Catalog, Model, Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { ListedPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { test } from 'tap'
import { describeModels } from './model-routes.ts'

const listed: ListedPrices = { inputPicos: 100_000, cachedInputPicos: 10_000, outputPicos: 500_000 }
const model = (changed: Partial<Model> = {}): Model => ({
  kind: 'chat',
  ownedBy: 'maker',
  created: 0,
  route: [{ upstream: 'one', model: 'm', priority: 0, weight: 1 }],
  prices: listed,
  contextWindow: 1000,
  maxOutputTokens: 100,
  defaultOutputTokens: 50,
  fewestOutputTokens: 1,
  outputParameter: 'max_completion_tokens',
  tokenizer: null,
  ...changed
})
const plan = (name: string, models: string[], changed: Partial<Plan> = {}): Plan => ({
  name,
  entitlements: [],
  keyQuota: 1,
  seats: 1,
  models,
  limits: { requestsPerMinute: 1, burstRequests: 1, tokensPerMinute: 1, burstTokens: 1, concurrentRequests: 1 },
  caps: { requestNanos: 1, monthlyNanos: 1 },
  ...changed
})
const price = (isSold: boolean) => [{ id: 'p', interval: 'month' as const, amount: 1, currency: 'usd', isSold }]
const row = (tier: string, abovePromptTokens: number, prices: ListedPrices) => ({ tier, abovePromptTokens, prices })
const seconds = (time: string) => Date.parse(time) / 1000

const catalog: Catalog = {
  models: {
    own: model({
      prices: { ...listed, reasoningPicos: 700_000, requestNanos: 5_000_000, callNanos: { web_search: 10_000_000 } },
      images: { rule: 'fixed', tokens: 1 }
    }),
    dear: model({ kind: 'embedding', aliases: ['maker/dear'] }),
    secret: model(),
    retired: model(),
    away: model(),
    dated: model({
      prices: {
        ...listed,
        periods: [
          {
            rows: [
              row('default', 0, listed),
              row('default', 500, { ...listed, inputPicos: 200_000 }),
              row('flex', 0, listed)
            ]
          },
          { until: seconds('2026-01-01T00:00:00Z'), rows: [row('default', 0, listed)] },
          {
            from: seconds('2026-11-01T00:00:00Z'),
            until: seconds('2026-12-01T00:00:00Z'),
            weekdays: [3],
            minutes: [[60, 750]],
            rows: [row('default', 0, { ...listed, inputPicos: 50_000 })]
          }
        ]
      }
    })
  },
  plans: {
    free: plan('Free', ['own', 'away']),
    pro: plan('Pro', ['own', 'dear', 'dated'], { prices: price(true) }),
    private: plan('Private', ['secret']),
    legacy: plan('Legacy', ['retired'], { prices: price(false) })
  }
}
const offered = {
  plan: 'free',
  group: null,
  leftOut: new Set(['away']),
  spoken: new Map([['one', new Set(['chat', 'responses', 'embeddings'] as const)]]),
  now: new Date('2026-11-25T02:00:00Z')
}
const described = (changed: Partial<Parameters<typeof describeModels>[1]> = {}) =>
  describeModels(catalog, { ...offered, ...changed })

test('models of the plan come first, then those of plans on sale; no other model is disclosed', async () => {
  assert.deepEqual(
    described().map(({ id, is_included, plans }) => [id, is_included, plans.map(({ name }) => name).join()]),
    [
      ['own', true, 'Free,Pro'],
      ['dear', false, 'Pro'],
      ['dated', false, 'Pro']
    ]
  )
  assert.deepEqual(
    described({ plan: 'legacy' }).map(({ id, is_included }) => [id, is_included])[0],
    ['retired', true],
    'an account keeps its own plan'
  )
  assert.ok(!described().some(({ id }) => id === 'secret' || id === 'retired'))
})

test('a model has every listed price, and nothing for kinds without one', async () => {
  const [own] = described()
  assert.deepEqual(own?.prices, [
    {
      is_now: true,
      from: null,
      until: null,
      weekdays: [],
      utc_hours: [],
      rows: [
        {
          tier: 'default',
          above_prompt_tokens: 0,
          usd_per_million_tokens: { input: 0.1, cached_input: 0.01, output: 0.5, reasoning: 0.7 }
        }
      ]
    }
  ])
  assert.deepEqual([own?.usd_per_request, own?.usd_per_call], [0.005, { web_search: 0.01 }])
  assert.deepEqual(own?.accepts, ['text', 'image'])
  assert.deepEqual(
    described().map(({ aliases }) => aliases),
    [[], ['maker/dear'], []]
  )
})

test('prices by time have the rows of each tier and length; the present period is marked, past ones are left out', async () => {
  const dated = described().find(({ id }) => id === 'dated')!
  assert.deepEqual(
    dated.prices.map(({ is_now, from, until, weekdays, utc_hours, rows }) => [
      ...[is_now, from, until, weekdays, utc_hours],
      rows.map((one) => `${one.tier} ${one.above_prompt_tokens} ${one.usd_per_million_tokens.input}`)
    ]),
    [
      [false, null, null, [], [], ['default 0 0.1', 'default 500 0.2', 'flex 0 0.1']],
      [true, '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z', [3], ['01:00-12:30'], ['default 0 0.05']]
    ]
  )
})

test('the endpoints are those that an upstream of the model speaks, for its kind; without gateways they are unknown', async () => {
  const endpointsOf = (changed = {}) => described(changed).map(({ endpoints }) => endpoints?.join() ?? null)
  assert.deepEqual(endpointsOf(), [
    '/v1/chat/completions,/v1/responses',
    '/v1/embeddings',
    '/v1/chat/completions,/v1/responses'
  ])
  assert.deepEqual(endpointsOf({ spoken: null }), [null, null, null])
})
