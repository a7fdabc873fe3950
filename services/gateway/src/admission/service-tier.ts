import { type ModelPrices, pricedTiers, standardOnly, standardTier } from '@tollgate/contracts/prices/model-prices.ts'

/** Whether a model has prices for every tier that a request may be served in. @param asked the member `service_tier` */
export const isTierPriced = (asked: unknown, prices: ModelPrices): boolean =>
  asked == null || asked === 'auto' || (typeof asked === 'string' && pricedTiers(prices).includes(asked))

/**
 * The tiers that a request may be served in. With `auto`, the provider chooses. A provider may serve every request in the standard tier.
 *
 * @param asked the member `service_tier`. {@link isTierPriced} must have accepted it
 */
export function allowedTiers(asked: unknown, prices: ModelPrices): readonly string[] {
  if (asked === 'auto') return pricedTiers(prices)
  return typeof asked !== 'string' || asked === standardTier ? standardOnly : [standardTier, asked]
}
