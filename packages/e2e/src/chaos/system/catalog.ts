import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { stringify } from 'yaml'

/** Of every model, picodollars per token. */
export const prices = { inputPicos: 1_000_000, cachedInputPicos: 1_000_000, outputPicos: 1_000_000 }

/** The models of streams whose clients leave: one shows all that it produces, and one reasons before it says anything. */
export const leftModels = ['ordinary', 'reasoning'] as const
/** The models of accounts whose caps are watched: one each, so that the model server's record tells them apart. */
export const cappedModels = ['capped-1', 'capped-2', 'capped-3'] as const
/**
 * What everybody else asks for. `quick` is for questions whose answer is of no interest, `watched` for accounts that
 * a fault watches by itself.
 */
export const models = ['steady', 'quick', 'watched', ...cappedModels, ...leftModels] as const

/** As the model server knows them: streams of about half a second, so that some are under way at every moment. */
export function upstreamName(model: (typeof models)[number]): string {
  if (model === 'reasoning') return 'reasoning+reasoning-tokens=200+think-ms=400+pace-ms=10'
  return `${model}+pace-ms=${model === 'quick' || model === 'watched' ? 0 : model === 'ordinary' ? 10 : 40}`
}

type Plan = CatalogFile['plans'][string]

const planNamed = (name: string, limits: Partial<Plan['limits']> = {}): Plan => ({
  name,
  entitlements: [],
  key_quota: 'unlimited',
  seats: 2,
  models: 'all',
  limits: { requests_per_minute: 1e9, tokens_per_minute: 1e12, concurrent_requests: 1e6, ...limits },
  caps_usd: { request: 1000, month: 1e6 }
})

/**
 * A catalog whose plans limit no requests but `limited`, which is for one a second: caps come from accounts and keys. How many
 * keys there may be, and so how often they may change, is limited by `free` only.
 *
 * @returns the path of the file
 */
export function writeCatalog(directory: string): string {
  const catalog: CatalogFile = {
    models: Object.fromEntries(
      models.map((model) => [
        model,
        {
          kind: 'chat',
          owned_by: 'tests',
          created: 1_790_000_000,
          route: [{ upstream: 'openai', model: upstreamName(model) }],
          usd_per_million_tokens: { input: 1, output: 1 },
          context_window: 128_000,
          max_output_tokens: 16_384,
          fewest_output_tokens: 1,
          ...(model === 'reasoning' && { hidden_output: true })
        }
      ])
    ),
    plans: {
      free: { ...planNamed('Free'), key_quota: 5 },
      pro: planNamed('Pro'),
      limited: planNamed('Limited', { requests_per_minute: 60, tokens_per_minute: 60_000 })
    }
  }
  const file = join(directory, 'catalog.yaml')
  writeFileSync(file, stringify(catalog))
  return file
}
