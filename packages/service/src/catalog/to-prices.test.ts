import assert from 'node:assert/strict'
import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { ratesFor } from '@tollgate/contracts/prices/rates-for.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { FileError } from '../config/read-yaml.ts'
import { parseCatalog } from './catalog-file.ts'

/** A catalog file with one model. @param prices members of the model, in YAML */
const fileWith = (prices: string) => `
models:
  small: { kind: chat, owned_by: us, created: 1, route: [{ upstream: one }], context_window: 1000, max_output_tokens: 9, ${prices.replace(/\s+/g, ' ')} }
plans:
  ${freePlan}:
    name: Free
    entitlements: []
    key_quota: 1
    seats: 1
    models: all
    limits: { requests_per_minute: 1, tokens_per_minute: 2, concurrent_requests: 3 }
    caps_usd: { request: 0.05, month: 1 }
`
const pricesOf = (members: string): ModelPrices => parseCatalog(fileWith(members), 'f').models.small!.prices

function problemsOf(members: string): readonly string[] {
  try {
    pricesOf(members)
    return []
  } catch (error) {
    assert.ok(error instanceof FileError)
    return error.problems
  }
}

const all = `usd_per_million_tokens: { input: 2, cached_input: 0.1, cache_write: 2.5, cache_write_long: 5, audio_input: 32,
  image_input: 3, output: 10, reasoning: 11, audio_output: 64, image_output: 30 }`

test('every kind of price has a member in the file', async () => {
  const fees = 'usd_per_request: 0.001, usd_per_call: { web_search: 0.01, file_search: 0.0025 }'
  assert.deepEqual(pricesOf(`${all}, ${fees}, source: 'a page', as_of: 2026-11-22`), {
    inputPicos: 2_000_000,
    cachedInputPicos: 100_000,
    cacheWritePicos: 2_500_000,
    longCacheWritePicos: 5_000_000,
    audioInputPicos: 32_000_000,
    imageInputPicos: 3_000_000,
    outputPicos: 10_000_000,
    reasoningPicos: 11_000_000,
    audioOutputPicos: 64_000_000,
    imageOutputPicos: 30_000_000,
    requestNanos: 1_000_000,
    callNanos: { web_search: 10_000_000, file_search: 2_500_000 },
    source: 'a page',
    asOf: '2026-11-22'
  })
})

test('a file with flat prices is published as before', async () => {
  const prices = pricesOf('usd_per_million_tokens: { input: 0.15, output: 0.6 }')
  assert.deepEqual(prices, { inputPicos: 150_000, cachedInputPicos: 150_000, outputPicos: 600_000 })
})

test('long prompts and service tiers multiply all prices of their side', async () => {
  const prices = pricesOf(`${all},
    long_prompt: [{ above: 272000, times: { input: 2, output: 1.5 } }, { from: 500000, times: 5 }],
    service_tiers: { flex: { times: 0.5 }, priority: { times: 2 } }`)
  const at = (tier: string, promptTokens: number) => {
    const { inputPicos, longCacheWritePicos, outputPicos, audioOutputPicos } = ratesFor(prices, {
      tier,
      promptTokens,
      at: 0
    })
    return [inputPicos, longCacheWritePicos, outputPicos, audioOutputPicos].map((picos) => picos / 1e6)
  }
  assert.deepEqual(at('default', 272_000), [2, 5, 10, 64])
  assert.deepEqual(at('default', 272_001), [4, 10, 15, 96])
  assert.deepEqual(at('default', 500_000), [10, 25, 50, 320])
  assert.deepEqual(at('flex', 0), [1, 2.5, 5, 32])
  assert.deepEqual(at('flex', 499_999), [2, 5, 7.5, 48])
  assert.deepEqual(at('priority', 1e6), [20, 50, 100, 640])
})

test('a product of factors is rounded up to whole picodollars, and decimal factors are exact', async () => {
  const prices = pricesOf(`usd_per_million_tokens: { input: 0.15, output: 0.000001 },
    long_prompt: [{ above: 10, times: 1.1 }], service_tiers: { flex: { times: 0.5 }, fast: { times: 1.1 } }`)
  const at = (tier: string, promptTokens: number) => ratesFor(prices, { tier, promptTokens, at: 0 })
  assert.equal(at('fast', 1).inputPicos, 165_000, '150,000 · 1.1 is not a binary number')
  assert.equal(at('fast', 11).inputPicos, 181_500)
  assert.equal(at('flex', 1).outputPicos, 1, 'half a picodollar is a whole one')
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 1, max: 1e8 }),
      (digits, decimals, picos) => {
        const factor = (digits / 10 ** decimals).toFixed(decimals)
        const exact = (BigInt(picos) * BigInt(digits) + 10n ** BigInt(decimals) - 1n) / 10n ** BigInt(decimals)
        // Above the catalog's limit, the file is refused.
        fc.pre(exact < 1_000_000_000n && Number(factor) <= 1000)
        const tiers = `service_tiers: { fast: { times: ${factor} } }`
        const made = pricesOf(`usd_per_million_tokens: { input: ${(picos / 1e6).toFixed(6)}, output: 0 }, ${tiers}`)
        assert.equal(BigInt(ratesFor(made, { tier: 'fast', promptTokens: 1, at: 0 }).inputPicos), exact)
      }
    )
  )
})

test('dated prices replace those of the model on their days and hours, with its steps and tiers unless they have their own', async () => {
  const prices = pricesOf(`usd_per_million_tokens: { input: 1, output: 2 },
    long_prompt: [{ above: 100, times: 2 }], service_tiers: { fast: { times: 3 } },
    dated: [
      { from: 2026-12-01, until: 2026-12-31, usd_per_million_tokens: { input: 10, output: 20 } },
      { weekdays: [mon, tue], utc_hours: [01:00-04:00, 23:00-24:00],
        usd_per_million_tokens: { input: 7, output: 8 }, long_prompt: [{ above: 50, times: 4 }], service_tiers: { fast: { times: 6 } } }
    ]`)
  const input = (time: string, tier = 'default', promptTokens = 1) =>
    ratesFor(prices, { tier, promptTokens, at: Date.parse(time) }).inputPicos / 1e6
  assert.equal(input('2026-11-30T00:30:00Z'), 1)
  assert.equal(input('2026-11-30T02:00:00Z'), 7, 'a Monday')
  assert.equal(input('2026-11-30T23:59:59Z'), 7)
  assert.equal(input('2026-12-02T02:00:00Z'), 10, 'a Wednesday')
  assert.equal(input('2026-12-31T23:59:59Z'), 10, 'the last day is included')
  assert.equal(input('2027-01-01T00:00:00Z'), 1)
  assert.equal(input('2026-12-02T02:00:00Z', 'fast', 101), 60)
  assert.equal(input('2026-12-01T01:00:00Z', 'fast', 51), 7 * 6 * 4, 'later entries win')
})

for (const [what, members, problem] of [
  [
    'a step without a length',
    `${all}, long_prompt: [{ times: 2 }]`,
    'models.small.long_prompt.0: needs either above or from'
  ],
  [
    'two steps of one length',
    `${all}, long_prompt: [{ above: 5, times: 2 }, { from: 6, times: 3 }]`,
    'models.small.long_prompt: two steps begin at the same length'
  ],
  [
    'a factor for the standard tier',
    `${all}, service_tiers: { default: { times: 2 } }`,
    "models.small.service_tiers.default: means the standard tier, whose prices are the model's"
  ],
  [
    'dated prices that always apply',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ usd_per_million_tokens: { input: 1, output: 1 } }]',
    'models.small.dated.0: needs from, until, weekdays or utc_hours'
  ],
  [
    'dated prices that lack a kind',
    'usd_per_million_tokens: { input: 1, audio_input: 9, output: 1 }, dated: [{ from: 2026-12-01, usd_per_million_tokens: { input: 1, output: 1 } }]',
    'models.small.dated.0.usd_per_million_tokens.audio_input: missing, and the model has it'
  ],
  [
    'dated prices with a kind that the model lacks',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ from: 2026-12-01, usd_per_million_tokens: { input: 1, cache_write: 2, output: 1 } }]',
    'models.small.dated.0.usd_per_million_tokens.cache_write: the model has no such price'
  ],
  [
    'a day that does not exist',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ from: 2026-02-30, usd_per_million_tokens: { input: 1, output: 1 } }]',
    'models.small.dated.0.from: not a day of the calendar'
  ],
  [
    'an end before the beginning',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ from: 2026-12-02, until: 2026-12-01, usd_per_million_tokens: { input: 1, output: 1 } }]',
    'models.small.dated.0.until: before from'
  ],
  [
    'hours over midnight',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ utc_hours: [22:00-02:00], usd_per_million_tokens: { input: 1, output: 1 } }]',
    'models.small.dated.0.utc_hours: 22:00-02:00 ends before it begins. Write two ranges, one for each day'
  ],
  [
    'a tier that only a date has',
    'usd_per_million_tokens: { input: 1, output: 1 }, dated: [{ from: 2026-12-01, usd_per_million_tokens: { input: 1, output: 1 }, service_tiers: { fast: { times: 2 } } }]',
    'models.small.dated.0.service_tiers.fast: the model has no such tier'
  ],
  [
    'a fee finer than a nanodollar',
    `${all}, usd_per_request: 0.0000000001`,
    'models.small.usd_per_request: finer than a billionth of a dollar'
  ],
  [
    'a call that could cost too much to be exact',
    `${all}, usd_per_call: { search: 600 }`,
    'models.small: usd_per_call must be at most 56, or the cost of a request could be too large to be exact'
  ],
  [
    'prices that are too large with their factors',
    'usd_per_million_tokens: { input: 1000, output: 1000 }, service_tiers: { fast: { times: 6 } }',
    'models.small.usd_per_million_tokens: input and output together must be at most 11258, with every factor, or the cost of a request could be too large to be exact'
  ]
] as const) {
  test(`${what}: refused, and the error names the path and the reason`, async () => {
    assert.deepEqual(problemsOf(members), [problem])
  })
}
