import type { ApiName, ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import { type Catalog, freePlan, type Plan, type Provider } from '@tollgate/contracts/catalog/catalog.ts'
import { chargedPrices, priceGroupOf } from '@tollgate/contracts/catalog/list-prices.ts'
import { isOnSale, monthlyAmount } from '@tollgate/contracts/catalog/plans-on-sale.ts'
import { findPriceChanges, type PriceChange } from '@tollgate/contracts/catalog/price-changes.ts'
import type { PricedModel, PricesOfPeriod } from '@tollgate/contracts/http/offered-models.ts'
import type { StatusResponse } from '@tollgate/contracts/http/status.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { isFree, ratesFor } from '@tollgate/contracts/prices/rates-for.ts'
import { describeModels } from '../models/model-routes.ts'
import { nameProvider } from './provider-names.ts'

/** A model as the public pages show it, with the prices of the cheapest plan that includes it. */
export interface SiteModel extends PricedModel {
  /** The name of who serves it, as people know it. */
  readonly provider: string
  /** The cheapest plan on sale that includes it. */
  readonly plan: Pick<SitePlan, 'id' | 'name' | 'isFree'>
  /** Whether it costs nothing: every price is 0. */
  readonly isFree: boolean
  /** Prices of short prompts in the standard tier that apply now. */
  readonly usual: PricesOfPeriod['rows'][number]['usd_per_million_tokens']
  /** The same as rates, which a cost is computed by. */
  readonly rates: ChargeRates
  /** Coming times at which dated prices begin or end, in order. Unix milliseconds. */
  readonly priceDates: readonly number[]
  /** Coming changes of prices, in order. */
  readonly changes: readonly PriceChange[]
  /** Unix seconds. */
  readonly created: number
}

/** A plan as the public pages show it. */
export interface SitePlan {
  readonly id: string
  readonly name: string
  readonly isFree: boolean
  /** On sale, by month or year. Empty for the free plan, and for one that the operator sells on request. */
  readonly prices: ReadonlyArray<{
    readonly interval: 'month' | 'year'
    readonly amount: number
    readonly currency: string
  }>
  readonly entitlements: readonly string[]
  /** null: any number. */
  readonly keys: number | null
  readonly seats: number | null
  /** The offered models that it includes. */
  readonly modelIds: ReadonlySet<string>
  readonly hasAllModels: boolean
  readonly monthUsd: number
  readonly requestUsd: number
  readonly limits: Plan['limits']
}

export interface SiteProvider {
  /** The catalog's `owned_by`. */
  readonly id: string
  readonly name: string
  readonly count: number
  /** What becomes of prompts there; null if the operator does not say it. */
  readonly data: Provider | null
}

/** What the public pages say about the catalog in force. */
export interface SiteFacts {
  /** In the order of the catalog. */
  readonly models: readonly SiteModel[]
  readonly plans: readonly SitePlan[]
  readonly providers: readonly SiteProvider[]
  readonly kinds: readonly ModelKind[]
  /** Whether the shown plans have different prices of models. */
  readonly hasPriceGroups: boolean
  /** The paths at which any model is offered. */
  readonly endpoints: ReadonlySet<string>
  /** For code that works: a chat model of the free plan if there is one. null without any chat model. */
  readonly example: SiteModel | null
  readonly status: MeasuredStatus
  /** The present year in UTC. */
  readonly year: number
}

/** What gateways measured, and what the operator announces. */
export type MeasuredStatus = Omit<StatusResponse, 'now'>

interface Offer {
  /** Models that no gateway offers. */
  readonly leftOut: ReadonlySet<string>
  /** The APIs of each upstream; null if they are not known. */
  readonly spoken: ReadonlyMap<string, ReadonlySet<ApiName>> | null
  readonly status: MeasuredStatus
  readonly now: Date
}

/**
 * Turns the catalog in force into what public pages show: the models of plans on sale that gateways offer, and the plans
 * that a visitor can get.
 */
export function describeSite(catalog: Catalog, { leftOut, spoken, status, now }: Offer): SiteFacts {
  const order = new Map(Object.keys(catalog.models).map((id, index) => [id, index]))
  const models = byCheapestPlan(catalog)
    .flatMap(({ id: plan, name, group, modelIds }) =>
      describeModels(catalog, { plan, group, leftOut, spoken, now })
        .filter(({ id }) => modelIds.has(id))
        .map((model): SiteModel => {
          const entry = catalog.models[model.id]!
          const prices = chargedPrices(entry, group)
          return {
            ...model,
            provider: nameProvider(model.owned_by),
            plan: { id: plan, name, isFree: plan === freePlan },
            isFree: isFree(prices),
            usual: presentPrices(model).rows[0]!.usd_per_million_tokens,
            rates: ratesFor(prices, { tier: standardTier, promptTokens: 0, at: now.getTime() }),
            priceDates: findPriceDates(model, now),
            changes: findPriceChanges(prices, now.getTime()),
            created: entry.created
          }
        })
    )
    .toSorted((one, other) => order.get(one.id)! - order.get(other.id)!)
  const plans = describePlans(catalog, models)
  return {
    models,
    plans,
    providers: describeProviders(models, catalog),
    kinds: [...new Set(models.map(({ kind }) => kind))],
    hasPriceGroups: new Set(plans.map(({ id }) => groupOf(catalog, id)?.multiplier ?? 1)).size > 1,
    endpoints: new Set(models.flatMap(({ endpoints }) => endpoints ?? [])),
    example: chooseExample(catalog.plans[freePlan]!, models),
    status,
    year: now.getUTCFullYear()
  }
}

const groupOf = (catalog: Catalog, plan: string) => priceGroupOf(catalog, undefined, catalog.plans[plan]!.priceGroup)

/** The plans on sale, the cheapest first, each with the models that no cheaper one includes. */
function byCheapestPlan(catalog: Catalog) {
  const plans = Object.entries(catalog.plans)
    .filter(([id, plan]) => isOnSale(id, plan))
    .toSorted((one, other) => monthlyAmount(...one) - monthlyAmount(...other))
  const found = new Set<string>()
  return plans.map(([id, { name, models }]) => {
    const modelIds = new Set(models.filter((model) => !found.has(model)))
    for (const model of models) found.add(model)
    return { id, name, group: groupOf(catalog, id), modelIds }
  })
}

/** The prices that apply now. */
export const presentPrices = ({ prices }: Pick<PricedModel, 'prices'>): PricesOfPeriod =>
  prices.find(({ is_now: isNow }) => isNow) ?? prices[0]!

/** Whether prices apply at some weekdays or hours only. */
export const isAtSomeTimes = ({ weekdays, utc_hours: hours }: PricesOfPeriod): boolean =>
  weekdays.length + hours.length > 0

function findPriceDates({ prices }: PricedModel, now: Date): number[] {
  const times = prices.flatMap(({ from, until }) => [from, until].flatMap((at) => (at === null ? [] : Date.parse(at))))
  return [...new Set(times)].filter((time) => time > now.getTime()).toSorted((one, other) => one - other)
}

function describePlans({ plans }: Catalog, models: readonly SiteModel[]): SitePlan[] {
  return Object.entries(plans)
    .filter(([id, plan]) => isOnSale(id, plan) || (plan.prices ?? []).length === 0)
    .map(([id, plan]) => {
      const own = new Set(plan.models)
      const modelIds = new Set(models.flatMap((model) => (own.has(model.id) ? [model.id] : [])))
      return {
        id,
        name: plan.name,
        isFree: id === freePlan,
        prices: (plan.prices ?? []).flatMap(({ isSold, interval, amount, currency }) =>
          isSold ? [{ interval, amount, currency }] : []
        ),
        entitlements: plan.entitlements,
        keys: plan.keyQuota,
        seats: plan.seats,
        modelIds,
        hasAllModels: modelIds.size === models.length,
        monthUsd: plan.caps.monthlyNanos / 1e9,
        requestUsd: plan.caps.requestNanos / 1e9,
        limits: plan.limits
      }
    })
}

function describeProviders(models: readonly SiteModel[], { providers = {} }: Catalog): SiteProvider[] {
  const byOwner = Map.groupBy(models, ({ owned_by: owner }) => owner)
  return [...byOwner].map(([id, own]) => ({
    id,
    name: nameProvider(id),
    count: own.length,
    data: Object.hasOwn(providers, id) ? providers[id]! : null
  }))
}

const chatPath = '/v1/chat/completions'

/** Whether the OpenAI SDK's chat works with the model, as far as it is known. */
const isChat = ({ kind, endpoints }: SiteModel): boolean => kind === 'chat' && (endpoints?.includes(chatPath) ?? true)

/** The first chat model of the free plan, in the plan's order; else the first chat model. */
function chooseExample(free: Plan, models: readonly SiteModel[]): SiteModel | null {
  const byId = new Map(models.map((model) => [model.id, model]))
  const ofFree = free.models.flatMap((id) => byId.get(id) ?? [])
  return ofFree.find(isChat) ?? models.find(isChat) ?? null
}

/** Chooses models for a short list: the newest chat models, as evenly from all providers as there are, free ones last. */
export function chooseKnownModels({ models, providers }: SiteFacts, count: number): SiteModel[] {
  const queues = providers.map(({ id }) =>
    models
      .filter(({ owned_by: owner, kind }) => owner === id && kind === 'chat')
      .toSorted((one, other) => Number(one.isFree) - Number(other.isFree) || other.created - one.created)
  )
  const chosen = new Set<SiteModel>()
  for (let round = 0; chosen.size < count && queues.some((queue) => queue.length > round); round++) {
    for (const queue of queues) if (queue[round] !== undefined && chosen.size < count) chosen.add(queue[round]!)
  }
  return models.filter((model) => chosen.has(model))
}

/** The offered model with an id; null without one. */
export const findModel = ({ models }: SiteFacts, id: string): SiteModel | null =>
  models.find((model) => model.id === id) ?? null

/**
 * The path of a model's page. Each part of its id is escaped for a URL; all of it at once if browsers would leave out
 * parts.
 */
export function modelPath(id: string): string {
  const parts = id.toWellFormed().split('/')
  const isKept = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  return `/models/${isKept ? parts.map(encodeURIComponent).join('/') : encodeURIComponent(parts.join('/'))}`
}
