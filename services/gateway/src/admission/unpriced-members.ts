import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type ModelPrices, pricedTiers, standardOnly, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { elided } from '../body/request-members.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'

/** Whether a model has prices for every tier that a request may be served in. @param tier the member `service_tier` */
const isTierPriced = (tier: unknown, prices: ModelPrices): boolean =>
  tier == null || tier === 'auto' || (typeof tier === 'string' && pricedTiers(prices).includes(tier))

/**
 * The tiers that a request may be served in. With `auto`, the provider chooses. A provider may serve every request in
 * the standard tier.
 *
 * @param tier the member `service_tier`. {@link isTierPriced} must have accepted it
 */
export function allowedTiers(tier: unknown, prices: ModelPrices): readonly string[] {
  if (tier === 'auto') return pricedTiers(prices)
  return typeof tier !== 'string' || tier === standardTier ? standardOnly : [standardTier, tier]
}

/** What an API's members mean for the price. */
export interface PricedApi {
  /** Whether an answer can be spoken. */
  readonly speaks: boolean
  /** The API's own name for the standard tier, besides the general one; null for none. */
  readonly standardTierName: string | null
}

type Allowed = (value: unknown, prices: ModelPrices, api: PricedApi) => boolean

const isAbsent: Allowed = (value) => value == null
const isStandard: Allowed = (value) => value == null || value === 'standard'
/** Whether a chat may answer with these. Spoken answers are output, so the output limit bounds them. */
const isModalityPriced: Allowed = (value, prices, api) =>
  value == null ||
  (Array.isArray(value) && value.every((one) => one === 'text' || (one === 'audio' && speaks(prices, api))))
/** The voice and format of a spoken answer. A long value was not read. */
const isAudioPriced: Allowed = (value, prices, api) => value == null || (value !== elided && speaks(prices, api))
const speaks = ({ audioOutputPicos }: ModelPrices, api: PricedApi): boolean =>
  api.speaks && audioOutputPicos !== undefined

const isTierAllowed: Allowed = (value, prices, api) => isTierPriced(value, prices) || value === api.standardTierName
/**
 * Whether a cached prompt lives for a time of OpenAI's that has a price. A long value was not read, so its `ttl` is
 * unknown.
 */
const isTtlPriced: Allowed = (value, prices) => {
  if (value == null) return true
  if (typeof value !== 'object' || value === elided) return false
  const ttl: unknown = Reflect.get(value, 'ttl')
  return ttl === undefined || ttl === '30m' || (ttl === '12h' && prices.longCacheWritePicos !== undefined)
}

/**
 * Members that can change the cost but have no price in the catalog. Each has a test for values that do not change the
 * cost.
 */
const unpriced = new Map<string, Allowed>([
  ['service_tier', isTierAllowed],
  ['web_search_options', isAbsent],
  ['search_parameters', isAbsent],
  ['plugins', isAbsent],
  ['prediction', isAbsent],
  ['modalities', isModalityPriced],
  ['audio', isAudioPriced],
  // The next two say how long a provider caches the prompt.
  ['prompt_cache_retention', isAbsent],
  ['prompt_cache_options', isTtlPriced],
  ['speed', isStandard],
  ['inference_geo', isAbsent],
  // Other providers' names for the output limit and the number of outputs. They override the gateway's limit.
  ['n_predict', isAbsent],
  ['use_beam_search', isAbsent],
  ['min_tokens', isAbsent]
])

/** @throws ServiceError unpriced_parameter with the first member of a body that has no price, in any spelling */
export function refuseUnpriced(
  { members, spans }: Pick<BoundedBody, 'members' | 'spans'>,
  { prices }: Pick<Model, 'prices'>,
  api: PricedApi
): void {
  for (const [spelling, { name }] of spans) {
    const isAllowed = unpriced.get(spelling)
    if (isAllowed !== undefined && (name !== spelling || !isAllowed(members[name], prices, api))) {
      throw new ServiceError('unpriced_parameter', {
        message: `${name}: the catalog has no price for this. Remove it.`
      })
    }
  }
}
