import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type ApiName, apis, apisOfKind } from '@tollgate/contracts/catalog/apis.ts'
import { type Catalog, freePlan, type Model } from '@tollgate/contracts/catalog/catalog.ts'
import { featuresOf } from '@tollgate/contracts/catalog/features.ts'
import { chargedPrices, type PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import { isOnSale } from '@tollgate/contracts/catalog/plans-on-sale.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { type PricedModel, PricedModelsResponse, type PricesOfPeriod } from '@tollgate/contracts/http/offered-models.ts'
import { type ModelPrices, type PricePeriod, standardTier, toUsd } from '@tollgate/contracts/prices/model-prices.ts'
import { periodAt } from '@tollgate/contracts/prices/rates-for.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpokenApis } from '@tollgate/state/processes/heartbeat.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import { effectivePlan, priceGroupInForce } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'

export interface ModelsOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  catalogPublisher: Pick<CatalogPublisher, 'leftOutModels'>
  clock: Clock
}

/** `/api/models`: the models of the account's plan and of plans on sale, with all their prices. */
export async function modelRoutes(
  instance: FastifyInstance,
  { database, redis, catalog, catalogPublisher, clock }: ModelsOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'listPricedModels',
        summary: 'List the models of the account’s plan and of plans on sale, with their prices',
        description: 'For a key alone, `GET /v1/models` of the gateway lists the models that it may use.',
        response: answers({ 200: PricedModelsResponse })
      }
    },
    async (request) => {
      const { accountId } = principalOf(request)
      const [rows, leftOut, spoken] = await Promise.all([
        database.orm
          .select({ planInForce: accounts.planInForce, overrideLimits: accounts.overrideLimits })
          .from(accounts)
          .where(eq(accounts.id, accountId)),
        catalogPublisher.leftOutModels(),
        readSpokenApis(redis)
      ])
      const account = rows[0] ?? { planInForce: freePlan, overrideLimits: null }
      const plan = effectivePlan(catalog, account.planInForce)
      const { name } = catalog.plans[plan]!
      const group = priceGroupInForce(catalog, account)
      const offered = { plan, group, leftOut, spoken, now: clock() }
      return { plan: { id: plan, name }, models: describeModels(catalog, offered) }
    }
  )
}

/**
 * Describes all prices of tokens: periods that are not over, with a row for each tier and each length of the prompt.
 */
function describePrices(prices: ModelPrices, now: Date): PricesOfPeriod[] {
  const { periods } = prices
  if (periods === undefined) {
    const rows = [{ tier: standardTier, above_prompt_tokens: 0, ...toUsd(prices) }]
    return [{ is_now: true, from: null, until: null, weekdays: [], utc_hours: [], rows }]
  }
  const current = periodAt(periods, now.getTime())
  return periods
    .filter(({ until }) => until === undefined || until * 1000 > now.getTime())
    .map((period) => describePeriod(period, period === current))
}

const describePeriod = (
  { from, until, weekdays = [], minutes = [], rows }: PricePeriod,
  isNow: boolean
): PricesOfPeriod => ({
  is_now: isNow,
  from: toInstant(from),
  until: toInstant(until),
  weekdays,
  utc_hours: minutes.map(([first, end]) => `${toClock(first)}-${toClock(end)}`),
  rows: rows.map(({ tier, abovePromptTokens, prices }) => ({
    tier,
    above_prompt_tokens: abovePromptTokens,
    ...toUsd(prices)
  }))
})

const toInstant = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString()

const two = (number: number): string => String(number).padStart(2, '0')
const toClock = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`

interface OfferedTo {
  /** The id of the account's plan. */
  readonly plan: string
  /** Whose prices are shown. */
  readonly group: PriceGroup | null
  /** Models that no gateway offers. */
  readonly leftOut: ReadonlySet<string>
  /** The APIs of each upstream; null if they are not known. */
  readonly spoken: ReadonlyMap<string, ReadonlySet<ApiName>> | null
  readonly now: Date
}

const plansOnSale = ({ plans }: Catalog) => Object.entries(plans).filter(([id, one]) => isOnSale(id, one))

const isOffered = ({ models }: Catalog, leftOut: ReadonlySet<string>, id: string): boolean =>
  Object.hasOwn(models, id) && !leftOut.has(id)

/** The models of plans on sale, which everybody may know. @param leftOut models that no gateway offers */
export function modelsOnSale(catalog: Catalog, leftOut: ReadonlySet<string>): string[] {
  const ids = new Set(plansOnSale(catalog).flatMap(([, { models }]) => models))
  return [...ids].filter((id) => isOffered(catalog, leftOut, id))
}

/**
 * Describes the models of an account's plan, and then those of plans on sale that it lacks. Other models are not
 * disclosed.
 */
export function describeModels(catalog: Catalog, { plan, group, leftOut, spoken, now }: OfferedTo): PricedModel[] {
  const own = new Set(catalog.plans[plan]!.models)
  const onSale = plansOnSale(catalog)
  const ids = [...new Set([...own, ...onSale.flatMap(([, { models }]) => models)])]
  return ids
    .filter((id) => isOffered(catalog, leftOut, id))
    .map((id) => {
      const model = catalog.models[id]!
      const prices = chargedPrices(model, group)
      const offered = spoken && offeredAt(model, spoken)
      return {
        id,
        aliases: model.aliases ?? [],
        kind: model.kind,
        owned_by: model.ownedBy,
        about: model.about ?? null,
        features: featuresOf(model, offered),
        knowledge: model.knowledge ?? null,
        context_tokens: model.contextWindow,
        max_output_tokens: model.maxOutputTokens,
        accepts: acceptedBy(model),
        endpoints: offered?.map((api) => apis[api].path) ?? null,
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

const offeredAt = ({ kind, route }: Model, spoken: ReadonlyMap<string, ReadonlySet<ApiName>>): ApiName[] =>
  apisOfKind(kind).filter((api) => route.some(({ upstream }) => spoken.get(upstream)?.has(api) === true))
