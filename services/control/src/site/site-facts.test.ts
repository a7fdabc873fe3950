import assert from 'node:assert/strict'
import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { test } from 'tap'
import { describeDays } from '../status/served-days.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { chooseKnownModels, describeSite, findModel, modelPath } from './site-facts.ts'

const shipped = loadCatalogFile(repositoryCatalog)
const offer = {
  status: {
    ...{ state: 'unknown' as const, gateway: 'unknown' as const, announcements: [], providers: [], models: [] },
    history: { first_day: '2026-09-03', measured_since: null, ...describeDays([]) }
  },
  leftOut: new Set<string>(),
  spoken: null,
  now: new Date('2026-12-01T12:00:00Z')
}
const factsOf = (catalog: Catalog, more: Partial<typeof offer> = {}) => describeSite(catalog, { ...offer, ...more })

test('models are in the order of the catalog, with providers, kinds and a model of the free plan as example', async () => {
  const facts = factsOf(shipped)
  assert.deepEqual(
    facts.models.map(({ id }) => id),
    Object.keys(shipped.models)
  )
  assert.deepEqual(facts.kinds, ['chat', 'embedding', 'completion'])
  assert.deepEqual(facts.providers[0], {
    ...facts.providers[0],
    id: 'openai',
    name: 'OpenAI',
    count: 27
  })
  assert.equal(facts.example?.id, 'gpt-6-luna')
  const without = factsOf(shipped, { leftOut: new Set(['gpt-6-luna', 'gpt-5-nano']) })
  assert.equal(without.example?.id, 'gpt-4o-mini')
})

test('the example is a model that the OpenAI SDK can chat with', async () => {
  const models = {
    'claude-haiku-5-5': shipped.models['claude-haiku-5-5']!,
    'gpt-5-nano': shipped.models['gpt-5-nano']!
  }
  const free = { ...shipped.plans.free!, models: Object.keys(models) }
  const spoken = new Map<string, ReadonlySet<ApiName>>([
    ['anthropic', new Set(['messages'])],
    ['openai', new Set(['chat'])]
  ])
  assert.equal(describeSite({ models, plans: { free } }, { ...offer, spoken }).example?.id, 'gpt-5-nano')
  const only = { 'text-embedding-3-small': shipped.models['text-embedding-3-small']! }
  assert.equal(factsOf({ models: only, plans: { free: { ...free, models: Object.keys(only) } } }).example, null)
})

test('plans that nobody can get any more are not shown, and those without a price are', async () => {
  const { free, pro, enterprise } = shipped.plans
  const legacy = { ...pro!, prices: pro!.prices!.map((price) => ({ ...price, isSold: false })) }
  const { plans } = factsOf({ ...shipped, plans: { free: free!, legacy, pro: pro!, enterprise: enterprise! } })
  assert.deepEqual(
    plans.map(({ id, isFree, hasAllModels, prices }) => [id, isFree, hasAllModels, prices.length]),
    [
      ['free', true, false, 0],
      ['pro', false, true, 2],
      ['enterprise', false, true, 0]
    ]
  )
})

test('the short list has the newest models of every provider, free ones last', async () => {
  const known = chooseKnownModels(factsOf(shipped), 8)
  assert.equal(known.length, 8)
  assert.equal(new Set(known.map(({ provider }) => provider)).size, 7)
  assert.equal(known[0]?.id, 'gpt-6.2-sol')
})

test('the address of a model escapes every part of its name', async () => {
  assert.equal(modelPath('openai/gpt-oss-120b'), '/models/openai/gpt-oss-120b')
  assert.equal(modelPath('a b/?#%'), '/models/a%20b/%3F%23%25')
  // Browsers drop dots and empty parts of an address.
  assert.equal(modelPath('a/../b'), '/models/a%2F..%2Fb')
  assert.equal(modelPath('a//b\ud800'), '/models/a%2F%2Fb%EF%BF%BD')
  assert.equal(findModel(factsOf(shipped), 'constructor'), null)
})
