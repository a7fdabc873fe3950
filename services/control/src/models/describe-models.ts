import { type ApiName, apis, apisOfKind } from '@tollgate/contracts/catalog/apis.ts'
import { type Catalog, freePlan, type Model, type Plan } from '@tollgate/contracts/catalog/catalog.ts'
import type { PricedModel } from '@tollgate/contracts/http/offered-models.ts'
import { describePrices } from './describe-prices.ts'

export interface OfferedTo {
  /** The id of the account's plan. */
  readonly plan: string
  /** Models that no gateway offers. */
  readonly leftOut: ReadonlySet<string>
  /** The APIs of each upstream; null if they are not known. */
  readonly spoken: ReadonlyMap<string, ReadonlySet<ApiName>> | null
  readonly now: Date
}

/** Whether anybody can get the plan without the operator: it is free, or a price of it is on sale. */
export const isOnSale = (id: string, { prices = [] }: Plan): boolean =>
  id === freePlan || prices.some(({ isSold }) => isSold)

/**
 * Describes the models of an account's plan, and then those of plans on sale that it lacks. Other models are not disclosed.
 */
export function describeModels(catalog: Catalog, { plan, leftOut, spoken, now }: OfferedTo): PricedModel[] {
  const own = new Set(catalog.plans[plan]!.models)
  const onSale = Object.entries(catalog.plans).filter(([id, one]) => isOnSale(id, one))
  const shown = [...new Set([...own, ...onSale.flatMap(([, { models }]) => models)])]
  return shown
    .filter((id) => Object.hasOwn(catalog.models, id) && !leftOut.has(id))
    .map((id) => {
      const model = catalog.models[id]!
      const { prices } = model
      return {
        id,
        aliases: model.aliases ?? [],
        kind: model.kind,
        owned_by: model.ownedBy,
        context_tokens: model.contextWindow,
        max_output_tokens: model.maxOutputTokens,
        accepts: acceptedBy(model),
        endpoints: spoken && endpointsOf(model, spoken),
        is_included: own.has(id),
        plans: onSale.filter(([, one]) => one.models.includes(id)).map(([plan, { name }]) => ({ id: plan, name })),
        prices: describePrices(prices, now),
        usd_per_request: (prices.requestNanos ?? 0) / 1e9,
        usd_per_call: Object.fromEntries(
          Object.entries(prices.callNanos ?? {}).map(([type, nanos]) => [type, nanos / 1e9])
        )
      }
    })
}

function acceptedBy({ images, audio }: Model): PricedModel['accepts'] {
  return [
    'text',
    ...(images === undefined ? [] : (['image'] as const)),
    ...(audio === undefined ? [] : (['audio'] as const))
  ]
}

const endpointsOf = ({ kind, route }: Model, spoken: ReadonlyMap<string, ReadonlySet<ApiName>>): string[] =>
  apisOfKind(kind)
    .filter((api) => route.some(({ upstream }) => spoken.get(upstream)?.has(api) === true))
    .map((api) => apis[api].path)
