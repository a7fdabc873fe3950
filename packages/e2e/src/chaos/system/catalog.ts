import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { upstreamsFile } from '@tollgate/sandbox/models/upstreams-file.ts'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { parse, stringify } from 'yaml'

/** Prices of every model, picodollars per token. */
export const prices = { inputPicos: 1_000_000, cachedInputPicos: 1_000_000, outputPicos: 1_000_000 }

/** Models for streams whose clients hang up: one shows all its output, one reasons first. */
export const hangUpModels = ['ordinary', 'reasoning'] as const
/** One model per capped account, so that the model server's records tell them apart. */
export const cappedModels = ['capped-1', 'capped-2', 'capped-3'] as const
/**
 * All models. `quick` is for probes whose answer does not matter, `watched` for accounts that a fault watches itself,
 * `slow` for their long streams, `noticed` for accounts whose budgets are used up. The server reports more tokens of
 * `above-bound` than a request may have. `counted` has an upstream of its own, which counts prompts.
 */
export const models = [
  'steady',
  'quick',
  'watched',
  'noticed',
  'slow',
  'above-bound',
  'counted',
  ...cappedModels,
  ...hangUpModels
] as const

const atOnce: ReadonlySet<string> = new Set(['quick', 'watched', 'noticed', 'counted'])

/** The name at the model server. Streams take about half a second, so some are open at every moment. */
export function upstreamName(model: (typeof models)[number]): string {
  if (model === 'reasoning') return 'reasoning+reasoning-tokens=200+think-ms=400+pace-ms=10'
  if (model === 'above-bound') return 'above-bound+report-tokens=100000'
  if (atOnce.has(model)) return `${model}+pace-ms=0`
  return `${model}+pace-ms=${model === 'ordinary' ? 10 : 40}`
}

/** The model of {@link models} that the upstream request is for. */
export const modelOf = ({ model }: RecordedRequest): string => model?.split('+')[0] ?? ''

type Plan = CatalogFile['plans'][string]

/** Tokens a minute of the plan `metered`. Its burst is a sixth of them. */
export const meteredTokens = 60_000
/** More than anybody spends. */
const monthUsd = 1e6

const planNamed = (name: string, limits: Partial<Plan['limits']> = {}): Plan => ({
  name,
  entitlements: [],
  key_quota: 'unlimited',
  seats: 2,
  models: 'all',
  limits: { requests_per_minute: 1e9, tokens_per_minute: 1e12, concurrent_requests: 1e6, ...limits },
  caps_usd: { request: 1000, month: monthUsd }
})

/**
 * Writes the catalog. Only the plan `limited` limits requests, to one per second, and `metered` only tokens; caps come
 * from accounts and keys. Only the plan `free` limits keys, and so how often they may change.
 *
 * @param freeMonthUsd the monthly budget of the plan `free`
 * @returns the path of the file
 */
export function writeCatalog(directory: string, freeMonthUsd: number = monthUsd): string {
  const catalog: CatalogFile = {
    models: Object.fromEntries(
      models.map((model) => [
        model,
        {
          kind: 'chat',
          owned_by: 'tests',
          created: 1_790_000_000,
          route: [{ upstream: model === 'counted' ? 'counted' : 'openai', model: upstreamName(model) }],
          usd_per_million_tokens: { input: 1, output: 1 },
          context_window: 128_000,
          max_output_tokens: 16_384,
          fewest_output_tokens: 1,
          ...(model === 'reasoning' && { hidden_output: true }),
          // Audio without a price of its own.
          ...(model === 'quick' && { audio: { tokens_per_second: 10 } })
        }
      ])
    ),
    plans: {
      free: {
        ...planNamed('Free'),
        key_quota: 5,
        caps_usd: { request: Math.min(1000, freeMonthUsd), month: freeMonthUsd }
      },
      pro: {
        ...planNamed('Pro'),
        prices: [{ id: 'price_pro_monthly', interval: 'month', amount: 2000, currency: 'usd' }]
      },
      metered: planNamed('Metered', { tokens_per_minute: meteredTokens }),
      limited: planNamed('Limited', { requests_per_minute: 60, tokens_per_minute: 60_000 })
    }
  }
  const file = join(directory, 'catalog.yaml')
  writeFileSync(file, stringify(catalog))
  return file
}

/**
 * Writes the upstreams file: that of the model server, with one upstream more, `counted`, which counts prompts of
 * responses.
 *
 * @param port of `counted`
 * @returns the path of the file
 */
export function writeUpstreams(directory: string, port: number): string {
  const { upstreams } = parse(readFileSync(upstreamsFile, 'utf8')) as { upstreams: object }
  const upstream = {
    base_url: `http://127.0.0.1:${port}/v1`,
    credential_variable: 'OPENAI_API_KEY',
    speaks: ['chat', 'responses'],
    counter: 'openai'
  }
  const file = join(directory, 'upstreams.yaml')
  writeFileSync(file, stringify({ upstreams: { ...upstreams, counted: upstream } }))
  return file
}
