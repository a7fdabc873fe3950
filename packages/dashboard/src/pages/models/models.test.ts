import assert from 'node:assert/strict'
import { test } from 'tap'
import {
  describePeriod,
  describeRow,
  findModels,
  otherPrices,
  type PricedModel,
  pricedKinds,
  sortModels,
  usualPrices
} from './models.ts'

const row = {
  tier: 'default',
  above_prompt_tokens: 0,
  usd_per_million_tokens: { input: 1, cached_input: 1, output: 2 }
}
const period = { is_now: true, from: null, until: null, weekdays: [], utc_hours: [], rows: [row] }
const model = (id: string, changed: Partial<PricedModel> = {}): PricedModel => ({
  id,
  aliases: [],
  kind: 'chat',
  owned_by: 'openai',
  context_tokens: 1,
  max_output_tokens: 1,
  about: null,
  features: [],
  knowledge: null,
  accepts: ['text'],
  endpoints: ['/v1/responses'],
  is_included: true,
  plans: [],
  prices: [period],
  usd_per_request: 0,
  usd_per_call: {},
  ...changed
})

test('a search finds models by id, alias, maker, kind, input and endpoint, within the chosen plans', async () => {
  const models = [
    model('gpt', { aliases: ['openai/gpt-2026'] }),
    model('vox', { owned_by: 'mistral', accepts: ['text', 'audio'], is_included: false })
  ]
  const ids = (...rest: [string, 'own' | 'other' | 'all']) => findModels(models, ...rest).map(({ id }) => id)
  assert.deepEqual(ids('', 'own'), ['gpt'])
  assert.deepEqual(ids('', 'other'), ['vox'])
  assert.deepEqual(ids('RESPONSES', 'all'), ['gpt', 'vox'])
  assert.deepEqual(ids('openai/gpt', 'all'), ['gpt'])
  assert.deepEqual(ids('mistral audio', 'all'), ['vox'])
  assert.deepEqual(ids('mistral embedding', 'all'), [])
})

test('models are sorted by price or context, and stay in catalog order without a choice', async () => {
  const priced = (input: number, output: number) => [
    { ...period, rows: [{ ...row, usd_per_million_tokens: { input, cached_input: input, output } }] }
  ]
  const models = [
    model('b', { prices: priced(2, 3), context_tokens: 5 }),
    model('a', { prices: priced(1, 9), context_tokens: 5 }),
    model('vector', { prices: priced(3, 0), max_output_tokens: 0, context_tokens: 7 })
  ]
  const ids = (order?: string) => sortModels(models, order).map(({ id }) => id)
  assert.deepEqual(ids(), ['b', 'a', 'vector'])
  assert.deepEqual(ids('input'), ['a', 'b', 'vector'])
  assert.deepEqual(ids('output'), ['b', 'a', 'vector'])
  assert.deepEqual(ids('context'), ['vector', 'b', 'a'])
})

test('prices say to which requests and when they apply', async () => {
  assert.equal(describeRow(row), 'Standard')
  assert.equal(
    describeRow({ ...row, tier: 'flex', above_prompt_tokens: 272_000 }),
    'Tier flex, prompts over 272,000 tokens'
  )
  assert.equal(describePeriod(period), 'Usual prices')
  assert.match(
    describePeriod({ ...period, until: '2027-03-01T00:00:00.000Z', weekdays: [1, 2], utc_hours: ['01:00-04:00'] }),
    /^Until .*28.*, on Monday, Tuesday, at 01:00-04:00 UTC$/
  )
})

test('the usual prices are those of the present period, and only priced kinds have a column', async () => {
  const other = { ...row, usd_per_million_tokens: { ...row.usd_per_million_tokens, input: 9, reasoning: 3 } }
  const dated = model('m', {
    prices: [
      { ...period, is_now: false },
      { ...period, rows: [other] }
    ]
  })
  assert.equal(usualPrices(dated).input, 9)
  assert.deepEqual(
    pricedKinds([row, other]).map(({ name }) => name),
    ['Input', 'Cached input', 'Output', 'Reasoning']
  )
})

test('prices of requests and of calls are listed', async () => {
  assert.deepEqual(otherPrices(model('m', { usd_per_request: 0.005, usd_per_call: { web_search: 0.01 } })), [
    '$0.005 for each request',
    '$0.01 for each call of web_search'
  ])
})
