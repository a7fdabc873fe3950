import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { stringify } from 'yaml'
import { FileError } from '../config/read-yaml.ts'
import { freePlan, readCatalogJson } from './catalog.ts'
import { type CatalogFile, loadCatalogFile } from './catalog-file.ts'

const shipped = fileURLToPath(new URL('../../../../deploy/catalog.yaml', import.meta.url))

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

/** Each line of the failure, without the name of the file, which each must have. */
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

test('the shipped catalog is one, with the plans and quotas of the service', async () => {
  const catalog = loadCatalogFile(shipped)
  const quotas = Object.fromEntries(Object.entries(catalog.plans).map(([id, { keyQuota }]) => [id, keyQuota]))
  assert.deepEqual(quotas, { free: 1, pro: 5, team: 20, enterprise: null })
  const seats = Object.fromEntries(Object.entries(catalog.plans).map(([id, plan]) => [id, plan.seats]))
  assert.deepEqual(seats, { free: 1, pro: 1, team: 10, enterprise: null })
  const rhythms = Object.entries(catalog.plans).map(([id, { prices = [] }]) => [id, prices.map((one) => one.interval)])
  assert.deepEqual(Object.fromEntries(rhythms), {
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

test('what is published is what was loaded', async () => {
  const catalog = loadCatalogFile(shipped)
  assert.deepEqual(readCatalogJson(JSON.stringify(catalog)), catalog)
  assert.throws(() => readCatalogJson('{"models":{}}'))
  assert.throws(() => readCatalogJson('not JSON'))
})

test('dollars become whole picodollars per token and nanodollars, and names lists', async (t) => {
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
    imageTokens: 1105,
    tokenizer: null
  })
  assert.equal(catalog.models.large!.hidesOutput, true, 'what has a price for reasoning reasons')
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
    limits: { requestsPerMinute: 1, tokensPerMinute: 2, concurrentRequests: 3 },
    caps: { requestNanos: 50_000_000, monthlyNanos: 1_000_000_000 }
  })
  assert.deepEqual(catalog.plans.all!.models, ['small', 'large'])
  assert.equal(catalog.plans.all!.keyQuota, null)
  assert.equal(catalog.plans.all!.seats, null)
})

test('a plan may have prices at the payment provider, sold or no longer sold', async (t) => {
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

test('any price in millionths of a dollar is exact', async (t) => {
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
  ['no free plan', { ...good, plans: { pro: plan } }, [/^plans: there must be one named free/]],
  ['a plan whose name cannot be one', { ...good, plans: { free: plan, 'Big Plan': plan } }, [/Big Plan/]],
  [
    'a model of a plan that is not there',
    { ...good, plans: { free: { ...plan, models: ['tiny'] } } },
    [/^plans\.free\.models: there is no model tiny$/]
  ],
  [
    'a model of a plan that only looks like one',
    { ...good, plans: { free: { ...plan, models: ['constructor'] } } },
    [/^plans\.free\.models: there is no model constructor$/]
  ],
  [
    'an unknown kind',
    { ...good, models: { small: { ...model, kind: 'video' } } },
    [/^models\.small\.kind: must be one of chat, completion, embedding$/]
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
    'a negative cap',
    { ...good, plans: { free: { ...plan, caps_usd: { request: -1, month: 1 } } } },
    [/^plans\.free\.caps_usd\.request: /]
  ],
  [
    'a price for what is free',
    { ...good, plans: { free: { ...plan, prices: [price] } } },
    [/^plans\.free\.prices: what is free has no price$/]
  ],
  [
    'a price of two plans',
    { ...good, plans: { ...good.plans, pro: { ...plan, prices: [price] }, team: { ...plan, prices: [price] } } },
    [/^plans\.team\.prices: price_1 is a price of plan pro already$/]
  ],
  [
    'a price that is there twice',
    { ...good, plans: { ...good.plans, pro: { ...plan, prices: [price, price] } } },
    [/^plans\.pro\.prices: price_1 is a price of plan pro already$/]
  ],
  [
    'a price in dollars and cents, by the week, in a currency that is none',
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
  test(`${name}: refused, naming file, path and reason`, async (t) => {
    const problems = problemsOf(write(t, content))
    for (const pattern of expected) {
      assert.ok(
        problems.some((problem) => pattern.test(problem)),
        `${pattern} is not among:\n${problems.join('\n')}`
      )
    }
  })
}

test('a file that is not there, or cannot be read, is named', async (t) => {
  assert.deepEqual(problemsOf(join(t.testdir(), 'none.yaml')), ['cannot be read (ENOENT)'])
  const directory = t.testdir()
  assert.deepEqual(problemsOf(directory), ['cannot be read (EISDIR)'])
})
