import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePlan, readCatalogJson } from '@tollgate/contracts/catalog/catalog.ts'
import { maxReportedTokens } from '@tollgate/contracts/catalog/check-costs.ts'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { stringify } from 'yaml'
import { FileError } from '../config/read-yaml.ts'
import { workspaceFile } from '../workspace.ts'
import { type CatalogFile, loadCatalogFile, toCatalog } from './catalog-file.ts'

const shipped = workspaceFile('deploy/catalog.yaml')

const model: CatalogFile['models'][string] = {
  kind: 'chat',
  owned_by: 'us',
  created: 1700000000,
  route: [{ upstream: 'one' }],
  usd_per_million_tokens: { input: 0.075, output: 0.3 },
  context_window: 1000,
  max_output_tokens: 100
}
const plan: CatalogFile['plans'][string] = {
  name: 'Free',
  entitlements: ['chat'],
  key_quota: 1,
  seats: 1,
  models: ['small'],
  limits: { requests_per_minute: 1, tokens_per_minute: 2, concurrent_requests: 3 },
  caps_usd: { request: 0.05, month: 1 }
}
const price = { id: 'price_1', interval: 'month', amount: 2000, currency: 'usd' }
const good: CatalogFile = { models: { small: model }, plans: { free: plan } }

function write(t: Test, content: unknown): string {
  const file = join(t.testdir(), 'catalog.yaml')
  writeFileSync(file, typeof content === 'string' ? content : stringify(content))
  return file
}

/** The lines of the error, without the file name that each must begin with. */
function problemsOf(file: string): string[] {
  try {
    loadCatalogFile(file)
  } catch (error) {
    assert.ok(error instanceof FileError)
    return error.message.split('\n').map((line) => {
      assert.ok(line.startsWith(`${file}: `), line)
      return line.slice(file.length + 2)
    })
  }
  return []
}

test('each alias means one model: another model or its alias stops the start, and the error names both', async (t) => {
  const named = (aliases: string[]) => ({ ...model, aliases })
  const { models } = loadCatalogFile(
    write(t, { ...good, models: { small: named(['small-2026-10-01', 'us/small']), large: named([]) } })
  )
  assert.deepEqual([models.small!.aliases, models.large!.aliases], [['small-2026-10-01', 'us/small'], undefined])
  const bad = {
    models: { small: named(['large', 'tiny', 'small']), large: named(['tiny', 'huge', 'huge']) },
    plans: { free: { ...plan, models: ['small', 'tiny'] } }
  }
  assert.deepEqual(problemsOf(write(t, bad)), [
    'models.small.aliases: large is the name of a model. Each name must mean one model',
    'models.small.aliases: small is the name of a model. Each name must mean one model',
    'models.large.aliases: tiny is already an alias of the model small. Each name must mean one model',
    'models.large.aliases: huge is already an alias of the model large. Each name must mean one model',
    'plans.free.models: tiny is an alias. Name its model, small'
  ])
})

test('the shipped catalog is valid, with the plans and quotas of the service', async () => {
  const catalog = loadCatalogFile(shipped)
  const quotas = Object.fromEntries(Object.entries(catalog.plans).map(([id, { keyQuota }]) => [id, keyQuota]))
  assert.deepEqual(quotas, { free: 1, pro: 5, team: 20, enterprise: null })
  const seats = Object.fromEntries(Object.entries(catalog.plans).map(([id, plan]) => [id, plan.seats]))
  assert.deepEqual(seats, { free: 1, pro: 1, team: 10, enterprise: null })
  const intervals = Object.entries(catalog.plans).map(([id, { prices = [] }]) => [
    id,
    prices.map((one) => one.interval)
  ])
  assert.deepEqual(Object.fromEntries(intervals), {
    free: [],
    pro: ['month', 'year'],
    team: ['month', 'year'],
    enterprise: []
  })
  for (const [id, { models }] of Object.entries(catalog.plans)) {
    assert.ok(models.length > 0, id)
    for (const name of models) assert.ok(Object.hasOwn(catalog.models, name), `${id}: ${name}`)
  }
  assert.ok(catalog.plans[freePlan]!.models.length < catalog.plans.pro!.models.length)
})

test('a published catalog is read as it was loaded', async () => {
  const catalog = loadCatalogFile(shipped)
  assert.deepEqual(readCatalogJson(JSON.stringify(catalog)), catalog)
  assert.throws(() => readCatalogJson('{"models":{}}'))
  assert.throws(() => readCatalogJson('not JSON'))
})

test('dollars become whole picodollars per token and whole nanodollars, and names become lists', async (t) => {
  const file = write(t, {
    models: {
      small: model,
      large: {
        ...model,
        route: [
          { upstream: 'one', model: 'large-2026', weight: 3 },
          { upstream: 'two', priority: 1 }
        ],
        usd_per_million_tokens: { input: 1.25, cached_input: 0.000001, output: 10, reasoning: 12.5 }
      }
    },
    plans: { free: plan, all: { ...plan, models: 'all', key_quota: 'unlimited', seats: 'unlimited' } }
  })
  const catalog = loadCatalogFile(file)
  assert.deepEqual(catalog.models.small, {
    kind: 'chat',
    ownedBy: 'us',
    created: 1700000000,
    route: [{ upstream: 'one', model: 'small', priority: 0, weight: 1 }],
    prices: { inputPicos: 75_000, cachedInputPicos: 75_000, outputPicos: 300_000 },
    contextWindow: 1000,
    maxOutputTokens: 100,
    defaultOutputTokens: 100,
    fewestOutputTokens: 64,
    outputParameter: 'max_completion_tokens',
    tokenizer: null
  })
  assert.equal(catalog.models.large!.hidesOutput, true, 'a model with a price for reasoning has hidden output')
  assert.deepEqual(catalog.models.large!.route, [
    { upstream: 'one', model: 'large-2026', priority: 0, weight: 3 },
    { upstream: 'two', model: 'large', priority: 1, weight: 1 }
  ])
  assert.deepEqual(catalog.models.large!.prices, {
    inputPicos: 1_250_000,
    cachedInputPicos: 1,
    outputPicos: 10_000_000,
    reasoningPicos: 12_500_000
  })
  assert.deepEqual(catalog.plans.free, {
    name: 'Free',
    entitlements: ['chat'],
    keyQuota: 1,
    seats: 1,
    models: ['small'],
    limits: { requestsPerMinute: 1, burstRequests: 1, tokensPerMinute: 2, burstTokens: 1, concurrentRequests: 3 },
    caps: { requestNanos: 50_000_000, monthlyNanos: 1_000_000_000 }
  })
  assert.deepEqual(catalog.plans.all!.models, ['small', 'large'])
  assert.equal(catalog.plans.all!.keyQuota, null)
  assert.equal(catalog.plans.all!.seats, null)
})

test('each API has the template tokens of its model, or its own, and only chats have them', async (t) => {
  const own = { request: 96, responses: { message: 12 }, messages: { request: 0 } }
  const plans = { free: { ...plan, models: 'all' as const } }
  const load = (models: object) => problemsOf(write(t, { models, plans }))
  const { models } = loadCatalogFile(
    write(t, { models: { own: { ...model, template_tokens: own }, none: model }, plans })
  )
  assert.deepEqual(models.own!.templateTokens, {
    chat: { request: 96, message: 8 },
    responses: { request: 96, message: 12 },
    messages: { request: 0, message: 8 }
  })
  assert.equal(models.none!.templateTokens, undefined)
  const writer = { ...model, kind: 'completion', template_tokens: own }
  assert.deepEqual(load({ writer }), ['models.writer.template_tokens: only chat models have a template'])
  for (const odd of [{ request: -1 }, { chat: { request: 1.5 } }, { completions: {} }]) {
    assert.match(load({ odd: { ...model, template_tokens: odd } })[0]!, /^models\.odd\.template_tokens/)
  }
})

test('a model with hidden output gets a larger default of output tokens, unless the file has a default', async (t) => {
  const hiding = { ...model, hidden_output: true, max_output_tokens: 128_000 }
  const reasoning = { ...model.usd_per_million_tokens, reasoning: 1 }
  const models = {
    open: { ...hiding, hidden_output: false },
    hiding,
    priced: { ...model, max_output_tokens: 32_000, usd_per_million_tokens: reasoning },
    short: { ...hiding, max_output_tokens: 8000 },
    said: { ...hiding, default_output_tokens: 25_000 },
    less: { ...hiding, default_output_tokens: 2000 },
    writer: { ...hiding, kind: 'completion' as const },
    embedder: { ...hiding, kind: 'embedding' as const }
  }
  const plans = { free: { ...plan, models: 'all' as const } }
  const catalog = loadCatalogFile(write(t, { models, plans }))
  const defaults = Object.entries(catalog.models).map(([name, { defaultOutputTokens }]) => [name, defaultOutputTokens])
  assert.deepEqual(Object.fromEntries(defaults), {
    open: 4096,
    hiding: 16_384,
    priced: 16_384,
    short: 8000,
    said: 25_000,
    less: 2000,
    writer: 16_384,
    embedder: 0
  })
})

test('in the shipped catalog, every plan grants the full default output of each of its models', async () => {
  const { models, plans } = loadCatalogFile(shipped)
  for (const [name, { kind, hidesOutput, defaultOutputTokens }] of Object.entries(models)) {
    if (hidesOutput) assert.ok(defaultOutputTokens >= 16_384, name)
    else if (kind === 'chat') assert.ok(defaultOutputTokens >= 4096, name)
  }
  for (const [id, { models: included, limits, caps }] of Object.entries(plans)) {
    for (const name of included) {
      const { defaultOutputTokens, prices } = models[name]!
      assert.ok(defaultOutputTokens <= limits.burstTokens / 2, `${id}: ${name}`)
      assert.ok((defaultOutputTokens * prices.outputPicos) / 1000 <= caps.requestNanos / 2, `${id}: ${name}`)
    }
  }
})

test('a model has rules for images and audio, or accepts none', async (t) => {
  const file = write(t, {
    ...good,
    models: {
      small: { ...model, images: { rule: 'tiles', base: 85, per_tile: 170 }, audio: { tokens_per_second: 10 } },
      patches: { ...model, images: { rule: 'patches', multiplier: 1.2, budget: 1536 } },
      claude: {
        ...model,
        images: { rule: 'patches', side_px: 28, multiplier: 1.06, budget: 1568, budget_by_detail: { low: 100 } }
      },
      fixed: { ...model, images: { rule: 'fixed', tokens: 2240 } },
      none: model
    }
  })
  const { models } = loadCatalogFile(file)
  assert.deepEqual(
    Object.values(models).map(({ images }) => images),
    [
      { rule: 'tiles', base: 85, perTile: 170 },
      { rule: 'patches', sidePx: 32, multiplier: 1.2, budget: 1536 },
      { rule: 'patches', sidePx: 28, multiplier: 1.06, budget: 1568, budgetByDetail: { low: 100 } },
      { rule: 'fixed', tokens: 2240 },
      undefined
    ]
  )
  assert.deepEqual(models.small!.audio, { tokensPerSecond: 10 })
  assert.deepEqual(readCatalogJson(JSON.stringify(loadCatalogFile(file))), loadCatalogFile(file))
})

test('a model without a time of creation has that of its prices', async (t) => {
  const { created: _, ...entry } = model
  const { models } = loadCatalogFile(
    write(t, { ...good, models: { small: entry, dated: { ...entry, as_of: '2026-11-23' } } })
  )
  assert.deepEqual([models.small!.created, models.dated!.created], [0, Date.parse('2026-11-23') / 1000])
})

test('the day of prices is a day of the calendar, and known differences from a list are kept', async (t) => {
  const because = 'newer'
  const differences = [{ because }, { kind: 'input', list: 0.5, because }]
  const file = write(t, { ...good, models: { small: { ...model, list_differences: differences } } })
  assert.deepEqual(loadCatalogFile(file).models.small!.prices.listDifferences, [
    { because },
    { kind: 'input', listUsd: 0.5, because }
  ])
  assert.deepEqual(readCatalogJson(JSON.stringify(loadCatalogFile(file))), loadCatalogFile(file))
  const wrong = write(t, { ...good, models: { small: { ...model, as_of: '2026-02-30' } } })
  assert.deepEqual(problemsOf(wrong), ['models.small.as_of: not a day of the calendar'])
})

test('with accepted prices and caps, every cost and reservation is a safe integer', async (t) => {
  const usd = fc.oneof(
    fc.integer({ min: 0, max: 20_000 }),
    fc.integer({ min: 0, max: 20_000_000_000 }).map((x) => x / 1e6)
  )
  fc.assert(
    fc.property(usd, usd, usd, usd, usd, (input, cached, output, reasoning, request) => {
      const problems: string[] = []
      const prices = { input, cached_input: cached, output, reasoning }
      const entry = { ...model, usd_per_million_tokens: prices }
      const caps = { request, month: 1e6 }
      const catalog = toCatalog({ models: { small: entry }, plans: { free: { ...plan, caps_usd: caps } } }, problems)
      const { inputPicos, cachedInputPicos, outputPicos, reasoningPicos } = catalog.models.small!.prices
      const picos = Math.max(inputPicos, cachedInputPicos) + Math.max(outputPicos, reasoningPicos!)
      const maxNanos = (BigInt(maxReportedTokens) * BigInt(picos)) / 1000n
      const { requestNanos } = catalog.plans.free!.caps
      const isExact = maxNanos * 8n <= 2n ** 53n && Number.isSafeInteger(requestNanos * 1000)
      assert.equal(problems.length === 0, isExact, problems.join())
    }),
    { numRuns: 300 }
  )
  const problemsWithPrices = (input: number, output: number) =>
    problemsOf(write(t, { ...good, models: { small: { ...model, usd_per_million_tokens: { input, output } } } }))
  assert.deepEqual(problemsWithPrices(150, 600), [])
  assert.match(
    problemsWithPrices(6000, 6000).join(),
    /^models\.small\.usd_per_million_tokens: input and output together must be at most 11258/
  )
})

test('the default burst of a rate is a sixth of a minute, at least 1', async (t) => {
  const rates = (requests_per_minute: number, tokens_per_minute: number) => ({
    requests_per_minute,
    tokens_per_minute,
    concurrent_requests: 1
  })
  const free = { ...plan, limits: rates(60, 40_000) }
  const pro = { ...plan, limits: { ...rates(60, 40_000), burst_requests: 1, burst_tokens: 40_000 } }
  const { plans } = loadCatalogFile(write(t, { ...good, plans: { free, pro } }))
  assert.deepEqual([plans.free!.limits.burstRequests, plans.free!.limits.burstTokens], [10, 6667])
  assert.deepEqual([plans.pro!.limits.burstRequests, plans.pro!.limits.burstTokens], [1, 40_000])
})

test('a plan may limit the memory for request bodies of a key', async (t) => {
  const pro = { ...plan, limits: { ...plan.limits, body_memory_mb: 100 } }
  const { plans } = loadCatalogFile(write(t, { ...good, plans: { free: plan, pro } }))
  assert.equal(plans.free!.limits.bodyMemoryMb, undefined)
  assert.equal(plans.pro!.limits.bodyMemoryMb, 100)
})

test('a plan may have prices that are on sale or no longer on sale', async (t) => {
  const monthly = { id: 'price_1', interval: 'month', amount: 2000, currency: 'usd' } as const
  const former = { id: 'price_0', interval: 'year', amount: 900, currency: 'eur', sold: false } as const
  const file = write(t, { ...good, plans: { free: plan, pro: { ...plan, prices: [monthly, former] } } })
  const { plans } = loadCatalogFile(file)
  assert.equal(plans.free!.prices, undefined)
  assert.deepEqual(plans.pro!.prices, [
    { ...monthly, isSold: true },
    { id: 'price_0', interval: 'year', amount: 900, currency: 'eur', isSold: false }
  ])
})

test('every price in millionths of a dollar is exact', async (t) => {
  const file = (input: number) =>
    write(t, { ...good, models: { small: { ...model, usd_per_million_tokens: { input, output: 0 } } } })
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), (picos) => {
      const { models } = loadCatalogFile(file(picos / 1e6))
      assert.equal(models.small!.prices.inputPicos, picos)
    }),
    { numRuns: 200 }
  )
})

const mistakes: Array<[name: string, content: unknown, problems: RegExp[]]> = [
  ['text that is not YAML', 'models: [', [/./]],
  ['a key that comes twice', 'models: {}\nmodels: {}\nplans: {}\n', [/unique/]],
  ['an empty file', '', [/^\(top\): must be object/]],
  ['no models', { plans: good.plans }, [/^\(top\): .*models/]],
  ['no plans', { models: good.models }, [/^\(top\): .*plans/]],
  ['an unknown section', { ...good, modles: {} }, [/^\(top\): unknown member modles/]],
  ['no free plan', { ...good, plans: { pro: plan } }, [/^plans: a plan named free is missing/]],
  ['an invalid name of a plan', { ...good, plans: { free: plan, 'Big Plan': plan } }, [/Big Plan/]],
  [
    'an unknown model in a plan',
    { ...good, plans: { free: { ...plan, models: ['tiny'] } } },
    [/^plans\.free\.models: no model is named tiny$/]
  ],
  [
    'a model of a plan that only looks like one',
    { ...good, plans: { free: { ...plan, models: ['constructor'] } } },
    [/^plans\.free\.models: no model is named constructor$/]
  ],
  [
    'an unknown kind',
    { ...good, models: { small: { ...model, kind: 'video' } } },
    [/^models\.small\.kind: must be one of chat, completion, embedding, moderation$/]
  ],
  [
    'an unknown member of a model',
    { ...good, models: { small: { ...model, price: 1 } } },
    [/^models\.small: unknown member price$/]
  ],
  [
    'a model without a price',
    { ...good, models: { small: { ...model, usd_per_million_tokens: undefined } } },
    [/^models\.small: .*usd_per_million_tokens/]
  ],
  [
    'half a price',
    { ...good, models: { small: { ...model, usd_per_million_tokens: { input: 1 } } } },
    [/^models\.small\.usd_per_million_tokens: .*output/]
  ],
  [
    'a negative price',
    { ...good, models: { small: { ...model, usd_per_million_tokens: { input: -1, output: 1 } } } },
    [/^models\.small\.usd_per_million_tokens\.input: /]
  ],
  [
    'a price finer than can be counted',
    { ...good, models: { small: { ...model, usd_per_million_tokens: { input: 0.0000015, output: 1 } } } },
    [/^models\.small\.usd_per_million_tokens\.input: finer than a millionth of a dollar$/]
  ],
  [
    'a request cap that cannot be counted in picodollars',
    { ...good, plans: { free: { ...plan, caps_usd: { request: 9008, month: 1e6 } } } },
    [/^plans\.free\.caps_usd\.request: must be at most 9007/]
  ],
  [
    'more tokens than any report is believed with',
    { ...good, models: { small: { ...model, context_window: 2e8 } } },
    [/^models\.small\.context_window: /]
  ],
  [
    'an image rule that there is not',
    { ...good, models: { small: { ...model, images: { rule: 'pixels' } } } },
    [/^models\.small\.images\.rule: /]
  ],
  [
    'half an image rule',
    { ...good, models: { small: { ...model, images: { rule: 'tiles', base: 85 } } } },
    [/^models\.small\.images: .*per_tile/]
  ],
  [
    'a model that takes audio for nothing',
    { ...good, models: { small: { ...model, audio: { tokens_per_second: 0 } } } },
    [/^models\.small\.audio\.tokens_per_second: /]
  ],
  ['a model without a route', { ...good, models: { small: { ...model, route: [] } } }, [/^models\.small\.route: /]],
  [
    'a chat model that may say nothing',
    { ...good, models: { small: { ...model, max_output_tokens: 0 } } },
    [/^models\.small\.max_output_tokens: must be at least 1/]
  ],
  [
    'a quota that is no number',
    { ...good, plans: { free: { ...plan, key_quota: 'many' } } },
    [/^plans\.free\.key_quota: /]
  ],
  ['a broken quota', { ...good, plans: { free: { ...plan, key_quota: 1.5 } } }, [/^plans\.free\.key_quota: /]],
  ['no seat for the owner', { ...good, plans: { free: { ...plan, seats: 0 } } }, [/^plans\.free\.seats: /]],
  [
    'a limit of nothing',
    { ...good, plans: { free: { ...plan, limits: { ...plan.limits, concurrent_requests: 0 } } } },
    [/^plans\.free\.limits\.concurrent_requests: /]
  ],
  [
    'no memory for a single body',
    { ...good, plans: { free: { ...plan, limits: { ...plan.limits, body_memory_mb: 23 } } } },
    [/^plans\.free\.limits\.body_memory_mb: /]
  ],
  [
    'no burst at all',
    { ...good, plans: { free: { ...plan, limits: { ...plan.limits, burst_requests: 0 } } } },
    [/^plans\.free\.limits\.burst_requests: /]
  ],
  [
    'bursts of more than a minute',
    { ...good, plans: { free: { ...plan, limits: { ...plan.limits, burst_requests: 2, burst_tokens: 3 } } } },
    [
      /^plans\.free\.limits\.burst_requests: more than requests_per_minute$/,
      /^plans\.free\.limits\.burst_tokens: more than tokens_per_minute$/
    ]
  ],
  [
    'a negative cap',
    { ...good, plans: { free: { ...plan, caps_usd: { request: -1, month: 1 } } } },
    [/^plans\.free\.caps_usd\.request: /]
  ],
  [
    'a price for what is free',
    { ...good, plans: { free: { ...plan, prices: [price] } } },
    [/^plans\.free\.prices: the plan free must not have prices$/]
  ],
  [
    'a price of two plans',
    { ...good, plans: { ...good.plans, pro: { ...plan, prices: [price] }, team: { ...plan, prices: [price] } } },
    [/^plans\.team\.prices: price_1 is already a price of plan pro$/]
  ],
  [
    'a price that is there twice',
    { ...good, plans: { ...good.plans, pro: { ...plan, prices: [price, price] } } },
    [/^plans\.pro\.prices: price_1 is already a price of plan pro$/]
  ],
  [
    'a price in dollars and cents, by the week, in an invalid currency',
    {
      ...good,
      plans: { ...good.plans, pro: { ...plan, prices: [{ id: '', interval: 'week', amount: 9.99, currency: 'USD' }] } }
    },
    [
      /^plans\.pro\.prices\.0\.id: /,
      /^plans\.pro\.prices\.0\.interval: must be one of month, year$/,
      /^plans\.pro\.prices\.0\.amount: /,
      /^plans\.pro\.prices\.0\.currency: /
    ]
  ],
  [
    'two mistakes',
    { models: { small: { ...model, created: 'now' } }, plans: { free: { ...plan, name: '' } } },
    [/^models\.small\.created: /, /^plans\.free\.name: /]
  ]
]

for (const [name, content, expected] of mistakes) {
  test(`${name}: refused, and the error names the file, the path and the reason`, async (t) => {
    const problems = problemsOf(write(t, content))
    for (const pattern of expected) {
      assert.ok(
        problems.some((problem) => pattern.test(problem)),
        `${pattern} is not among:\n${problems.join('\n')}`
      )
    }
  })
}

test('the error for a missing or unreadable file names it', async (t) => {
  assert.deepEqual(problemsOf(join(t.testdir(), 'none.yaml')), ['cannot be read (ENOENT)'])
  const directory = t.testdir()
  assert.deepEqual(problemsOf(directory), ['cannot be read (EISDIR)'])
})
