import assert from 'node:assert/strict'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { type CatalogFile, toCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { comparePrices, type PriceDifference } from './compare-prices.ts'
import type { ListEntry, PriceList } from './price-list.ts'

type Entry = CatalogFile['models'][string]
type Prices = Partial<Entry> & Pick<Entry, 'usd_per_million_tokens'>

const now = Date.parse('2026-11-23T15:00:00Z')
const later = now + 30 * 86_400_000
const plain = { input: 1, cached_input: 0.1, output: 4 }
const plainListed = { input_mtok: 1, cache_read_mtok: 0.1, output_mtok: 4 }

function modelOf(prices: Prices): Model {
  const entry = {
    kind: 'chat' as const,
    owned_by: 'acme',
    created: 0,
    route: [{ upstream: 'up', model: 'theirs' }],
    context_window: 1_000_000,
    max_output_tokens: 1000,
    ...prices
  }
  const problems: string[] = []
  const { models } = toCatalog({ models: { ours: entry }, plans: {} }, problems)
  assert.deepEqual(problems, ['plans: a plan named free is missing'])
  return models.ours!
}

const listOf = (prices: ListEntry['prices']): PriceList => ({ find: () => ({ id: 'acme/theirs', prices }) })

const compare = (prices: Prices, list: PriceList, times = [now, later]): PriceDifference[] =>
  comparePrices({ models: { ours: modelOf(prices) } }, list, times)

/** Kind, step, both prices and the result. */
const lines = (differences: readonly PriceDifference[]) =>
  differences.map(({ kind, abovePromptTokens, catalogUsd, listUsd, result }) => [
    kind,
    abovePromptTokens,
    catalogUsd,
    listUsd,
    result
  ])

test('equal prices are no difference, whatever their kinds and steps', async () => {
  const usd = fc.integer({ min: 0, max: 200_000_000 }).map((millionths) => millionths / 1e6)
  const optional = fc.option(usd, { nil: undefined })
  const prices = fc.record({
    input: usd,
    cached_input: usd,
    output: usd,
    cache_write: usd,
    cache_write_long: optional,
    audio_input: optional,
    image_input: optional,
    reasoning: optional,
    audio_output: optional,
    image_output: optional
  })
  const names: Record<string, string> = {
    input: 'input_mtok',
    cached_input: 'cache_read_mtok',
    output: 'output_mtok',
    reasoning: 'output_reasoning_mtok',
    cache_write: 'cache_write_mtok',
    cache_write_long: 'cache_write_1h_mtok',
    audio_input: 'input_audio_mtok',
    image_input: 'input_image_mtok',
    audio_output: 'output_audio_mtok',
    image_output: 'output_image_mtok'
  }
  const steps = fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 3 })
  fc.assert(
    fc.property(prices, steps, (all, starts) => {
      const entries = Object.entries(all).filter(([, price]) => price !== undefined)
      const usdPerMillion = Object.fromEntries(entries) as Entry['usd_per_million_tokens']
      const long = starts.map((above, index) => ({ above, times: index + 2 }))
      const tiers = (price: number) => starts.map((start, index) => ({ start, price: price * (index + 2) }))
      const listed = entries.map(([kind, price]) => [names[kind]!, { base: price!, tiers: tiers(price!) }])
      const differences = compare(
        { usd_per_million_tokens: usdPerMillion, ...(long.length > 0 && { long_prompt: long }) },
        listOf(Object.fromEntries(listed))
      )
      assert.deepEqual(differences, [])
    })
  )
})

test('a price below the list is a problem, a price above is a note', async () => {
  const list = listOf({ ...plainListed, input_mtok: 1.25, output_mtok: 3 })
  assert.deepEqual(lines(compare({ usd_per_million_tokens: plain }, list)), [
    ['input', 0, 1, 1.25, 'below'],
    ['output', 0, 4, 3, 'above']
  ])
})

test('a list price finer than the catalog’s millionths equals the next one', async () => {
  const list = listOf({ ...plainListed, input_mtok: 0.1234567 })
  assert.deepEqual(compare({ usd_per_million_tokens: { ...plain, input: 0.123457 } }, list), [])
  assert.equal(compare({ usd_per_million_tokens: { ...plain, input: 0.123456 } }, list)[0]?.result, 'below')
})

test('prices are compared on both sides of each step, of the catalog and of the list', async () => {
  const tiers = [{ start: 272_000, price: 2 }]
  const list = listOf({ ...plainListed, input_mtok: { base: 1, tiers } })
  assert.deepEqual(lines(compare({ usd_per_million_tokens: plain }, list)), [['input', 272_000, 1, 2, 'below']])
  const late = { usd_per_million_tokens: plain, long_prompt: [{ above: 300_000, times: { input: 2 } }] }
  assert.deepEqual(lines(compare(late, list)), [
    ['input', 272_000, 1, 2, 'below'],
    ['cached_input', 300_000, 0.2, 0.1, 'above']
  ])
  const short = { usd_per_million_tokens: plain, context_window: 272_000 }
  assert.deepEqual(compare(short, list), [], 'no prompt is that long')
})

test('a price that changes within the times is found, with the time', async () => {
  const list: PriceList = {
    find: (_served, at) => ({ id: 'acme/theirs', prices: { ...plainListed, input_mtok: at < later ? 1 : 2 } })
  }
  const [only, ...others] = compare({ usd_per_million_tokens: plain }, list)
  assert.deepEqual([only?.at, only?.result, others.length], [later, 'below', 0])
  const dated = [{ from: '2026-12-01', usd_per_million_tokens: { ...plain, input: 2 } }]
  assert.deepEqual(compare({ usd_per_million_tokens: plain, dated }, list), [])
})

test('a kind without a price in the catalog counts with what Tollgate charges, if requests can use it', async () => {
  const listed = {
    ...plainListed,
    cache_write_mtok: 1.25,
    cache_write_1h_mtok: 2,
    input_audio_mtok: 3,
    output_audio_mtok: 8
  }
  const list = listOf({ ...listed, web_searches_kcount: 10, requests_kcount: 5 })
  assert.deepEqual(lines(compare({ usd_per_million_tokens: plain }, list)), [
    ['cache_write', 0, 1, 1.25, 'below'],
    ['1000 requests', 0, 0, 5, 'below']
  ])
  const more = { audio: { tokens_per_second: 10 }, usd_per_request: 0.005, usd_per_call: { web_search: 0.014 } }
  const prices = { ...plain, cache_write: 1.25, cache_write_long: 2.5 }
  assert.deepEqual(lines(compare({ usd_per_million_tokens: prices, ...more }, list)), [
    ['cache_write_long', 0, 2.5, 2, 'above'],
    ['audio_input', 0, 2.5, 3, 'below'],
    ['1000 calls of web_search', 0, 14, 10, 'above']
  ])
})

test('a step that the list has one token earlier or later is the same step', async () => {
  const long = { usd_per_million_tokens: plain, long_prompt: [{ above: 272_000, times: 2 }] }
  for (const start of [271_999, 272_000, 272_001]) {
    const twice = (price: number) => ({ base: price, tiers: [{ start, price: price * 2 }] })
    const list = listOf({ input_mtok: twice(1), cache_read_mtok: twice(0.1), output_mtok: twice(4) })
    assert.deepEqual(lines(compare(long, list)), [], `${start}`)
  }
})

test('a reason of the catalog holds for one kind and one price of the list', async () => {
  const reasons = [{ kind: 'input', list: 2, because: 'older' }, { because: 'newer than the list' }]
  const prices = { usd_per_million_tokens: plain, list_differences: reasons }
  const because = (list: PriceList) => compare(prices, list).map((one) => one.because)
  assert.deepEqual(because(listOf({ ...plainListed, input_mtok: 2 })), ['older'])
  assert.deepEqual(because(listOf({ ...plainListed, input_mtok: 3 })), [null])
  assert.deepEqual(because(listOf({ ...plainListed, output_mtok: 2 })), [null])
  assert.deepEqual(because({ find: () => null }), ['newer than the list'])
})

test('a price and a model that the list does not know are notes', async () => {
  const { cache_read_mtok: _, ...withoutCache } = plainListed
  assert.deepEqual(lines(compare({ usd_per_million_tokens: plain }, listOf(withoutCache))), [
    ['cached_input', 0, 0.1, null, 'unknown']
  ])
  const unknown = compare({ usd_per_million_tokens: plain }, { find: () => null })
  assert.deepEqual(lines(unknown), [[null, 0, null, null, 'unknown']])
  assert.deepEqual([unknown[0]?.served, unknown[0]?.entry], ['up/theirs', null])
})

test('the output of embeddings has no price in the list, and that is no difference', async () => {
  const embedding = {
    kind: 'embedding' as const,
    max_output_tokens: 0,
    usd_per_million_tokens: { input: 0.02, output: 0 }
  }
  assert.deepEqual(compare(embedding, listOf({ input_mtok: 0.02 })), [])
})

test('a model is compared with every upstream of its route', async () => {
  const route = [
    { upstream: 'first', model: 'cheap' },
    { upstream: 'second', model: 'dear' }
  ]
  const list: PriceList = {
    find: ({ model }) => ({ id: `acme/${model}`, prices: { ...plainListed, input_mtok: model === 'dear' ? 2 : 1 } })
  }
  const [only, ...others] = compare({ usd_per_million_tokens: plain, route }, list)
  assert.deepEqual([only?.entry, only?.served, others.length], ['acme/dear', 'second/dear', 0])
})
