import { modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { Catalog, Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { ChargeRates } from '@tollgate/contracts/prices/charge-rates.ts'
import { type ListedPrices, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { ratesFor } from '@tollgate/contracts/prices/rates-for.ts'
import type { ListEntry, ListPrice, PriceList, Served } from './price-list.ts'

const always = (): boolean => true
const never = (): boolean => false

const requests: PriceKind = {
  name: '1000 requests',
  listKey: 'requests_kcount',
  isPriced: ({ prices }) => (prices.requestNanos ?? 0) > 0,
  canOccur: always,
  charged: (rates) => rates.requestNanos
}

const inputKinds: readonly PriceKind[] = [
  tokens('input', 'input_mtok', 'inputPicos', always),
  tokens('cached_input', 'cache_read_mtok', 'cachedInputPicos', always),
  tokens('cache_write', 'cache_write_mtok', 'cacheWritePicos', always),
  tokens('cache_write_long', 'cache_write_1h_mtok', 'longCacheWritePicos', never),
  tokens('audio_input', 'input_audio_mtok', 'audioInputPicos', ({ audio }) => audio !== undefined),
  tokens('image_input', 'input_image_mtok', 'imageInputPicos', ({ images }) => images !== undefined)
]

const outputKinds: readonly PriceKind[] = [
  tokens('output', 'output_mtok', 'outputPicos', always),
  tokens('reasoning', 'output_reasoning_mtok', 'reasoningPicos', always),
  tokens('audio_output', 'output_audio_mtok', 'audioOutputPicos', never),
  tokens('image_output', 'output_image_mtok', 'imageOutputPicos', never)
]

const otherKinds: readonly PriceKind[] = [
  requests,
  calls('web_search', 'web_searches_kcount'),
  calls('file_search', 'storage_searches_kcount')
]

/** A price of the catalog that is not the list's. */
export interface PriceDifference {
  readonly model: string
  /** Upstream and its name of the model. */
  readonly served: string
  /** The model in the list; null if the list does not know it. */
  readonly entry: string | null
  /** Null if the list does not know the model. */
  readonly kind: string | null
  /** The prices apply to prompts of more tokens. */
  readonly abovePromptTokens: number
  /** The first time at which they differ, Unix milliseconds. */
  readonly at: number
  /** USD per million tokens, or per thousand calls or requests. */
  readonly catalogUsd: number | null
  readonly listUsd: number | null
  /** Whether the catalog is below or above the list. Unknown: the list lacks the price or the model. */
  readonly result: 'below' | 'above' | 'unknown'
  /** Why, if the catalog knows this difference. */
  readonly because: string | null
}

/**
 * Compares the catalog's prices of the standard tier with a list: for each upstream model, kind of usage and length of
 * prompts.
 *
 * A kind without a price in the catalog counts with the price that Tollgate charges for it. A difference that lasts is
 * returned once, with the first of the times.
 *
 * @param times Unix milliseconds
 */
export function comparePrices(
  { models }: Pick<Catalog, 'models'>,
  list: PriceList,
  times: readonly number[]
): PriceDifference[] {
  return Object.entries(models).flatMap(([name, model]) => {
    const byPlace = new Map<string, PriceDifference>()
    for (const { upstream, model: theirs } of model.route) {
      const served = { upstream, model: theirs, ownedBy: model.ownedBy }
      for (const at of times) {
        for (const difference of compareAt(name, model, served, list.find(served, at), at)) {
          const { entry, kind, catalogUsd, listUsd } = difference
          const prices = listUsd === null ? null : [catalogUsd, listUsd]
          const place = JSON.stringify([entry ?? difference.served, kind, prices])
          if (!byPlace.has(place)) byPlace.set(place, difference)
        }
      }
    }
    return [...byPlace.values()]
  })
}

function compareAt(
  name: string,
  model: Model,
  { upstream, model: theirs }: Served,
  entry: ListEntry | null,
  at: number
): PriceDifference[] {
  const common = { model: name, served: `${upstream}/${theirs}`, at }
  if (entry === null) {
    const nothing = { entry: null, kind: null, abovePromptTokens: 0, catalogUsd: null, listUsd: null }
    return [{ ...common, ...nothing, result: 'unknown', because: reasonOf(model, null, null) }]
  }
  return stepsOf(model, entry).flatMap((abovePromptTokens) => {
    // Prices are constant between two steps, so the shortest prompt stands for all.
    const promptTokens = abovePromptTokens + 1
    const rates = ratesFor(model.prices, { tier: standardTier, promptTokens, at })
    return kindsOf(model).flatMap((kind): PriceDifference[] => {
      const ours = kind.charged(rates)
      const theirs = listed(entry, kind, promptTokens)
      const result = judge(model, kind, ours, theirs)
      if (result === null) return []
      const prices = { catalogUsd: ours / perUsd, listUsd: theirs === null ? null : theirs / perUsd }
      const because = reasonOf(model, kind.name, prices.listUsd)
      return [{ ...common, entry: entry.id, kind: kind.name, abovePromptTokens, ...prices, result, because }]
    })
  })
}

/** The catalog's reason for a difference. A reason holds for one price of the list, so that a new one is noticed. */
function reasonOf({ prices }: Model, kind: string | null, listUsd: number | null): string | null {
  const exception = (prices.listDifferences ?? []).find(
    (one) => (one.kind ?? null) === kind && (one.listUsd ?? null) === listUsd
  )
  return exception?.because ?? null
}

function judge(model: Model, kind: PriceKind, ours: number, theirs: number | null): PriceDifference['result'] | null {
  if (theirs === null) return kind.isPriced(model) ? 'unknown' : null
  return ours < theirs ? 'below' : ours > theirs ? 'above' : null
}

/** The catalog has whole millionths. */
const perUsd = 1e6

/** The list's price in millionths, rounded up as the catalog's are; null without a price. */
function listed({ prices }: ListEntry, { listKey }: PriceKind, promptTokens: number): number | null {
  const price = prices[listKey]
  if (price === undefined) return null
  const product = usdOf(price, promptTokens) * perUsd
  // 0.075 times a million is a little more than 75,000.
  const nearest = Math.round(product)
  return Math.abs(product - nearest) < 1e-4 ? nearest : Math.ceil(product)
}

function usdOf(price: ListPrice, promptTokens: number): number {
  if (typeof price === 'number') return price
  const [highest] = price.tiers
    .filter(({ start }) => promptTokens > start)
    .sort((one, other) => other.start - one.start)
  return highest?.price ?? price.base
}

/** The lengths above which a price of either side changes, from 0, as far as prompts of the model can be that long. */
function stepsOf({ prices, contextWindow }: Model, entry: ListEntry): number[] {
  const ours = (prices.periods ?? []).flatMap(({ rows }) => rows.map(({ abovePromptTokens }) => abovePromptTokens))
  const theirs = Object.values(entry.prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : []
  )
  const steps = [...new Set([0, ...ours, ...theirs])].sort((one, other) => one - other)
  // Lists disagree whether a step includes its limit. Two steps that differ by one token are the same.
  return steps.filter((step) => step < contextWindow && (step === 0 || !steps.includes(step + 1)))
}

/** A kind of usage that the catalog and the price list can both have a price for. */
interface PriceKind {
  /** The catalog file's name, for tokens. */
  readonly name: string
  /** The name in the price list. */
  readonly listKey: string
  /** Whether a model's catalog entry sets a price for it, beyond what applies without one. */
  isPriced(model: Model): boolean
  /** Whether the gateway admits requests of the model that can use it. */
  canOccur(model: Model): boolean
  /** What Tollgate charges: millionths of the list's unit, which is USD per million tokens or per thousand calls. */
  charged(rates: ChargeRates): number
}

/** @param canOccur whether the gateway admits it without a price */
function tokens(
  name: string,
  listKey: string,
  member: keyof ListedPrices,
  canOccur: (model: Model) => boolean
): PriceKind {
  const isPriced = ({ prices }: Model): boolean =>
    member === 'cachedInputPicos' ? prices.cachedInputPicos !== prices.inputPicos : prices[member] !== undefined
  return {
    name,
    listKey,
    isPriced,
    canOccur: (model) => isPriced(model) || canOccur(model),
    charged: (rates) => rates[member]
  }
}

/** Calls of a tool that the provider runs. */
function calls(type: string, listKey: string): PriceKind {
  const isPriced = ({ prices }: Model): boolean => prices.callNanos?.[type] !== undefined
  const charged = (rates: ChargeRates): number => rates.callNanos[type]!
  return { name: `1000 calls of ${type}`, listKey, isPriced, canOccur: isPriced, charged }
}

/** The kinds that requests of a model can use. */
function kindsOf(model: Model): PriceKind[] {
  // Embeddings have no output, but the catalog file has a price for it.
  const all = modelKinds[model.kind].hasOutput
    ? [...inputKinds, ...outputKinds, ...otherKinds]
    : [...inputKinds, ...otherKinds]
  return all.filter((kind) => kind.canOccur(model))
}
