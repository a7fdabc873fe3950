import type { Catalog, Model, Plan, PlanPrice, Provider, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { type PricedRow, pricedRows, units } from '@tollgate/contracts/meters/meters.ts'
import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'

/** A value before and after a change. `text` is null where the catalog has no such value. */
interface Values {
  readonly text: string | null
  readonly number: number | null
}

/**
 * Says in a sentence what a change means.
 *
 * @param of the name of the model, or the id of the plan
 */
type Saying = (of: string, from: Values, to: Values) => string

/**
 * @param what is paid for: `Output`
 * @param per what a price is for: `million tokens`
 * @param otherwise what it costs without a price of its own
 */
const changedPrice =
  (what: string, per: string, otherwise: string): Saying =>
  (model, from, to) => {
    const named = `${what} of ${model}`
    if (to.text === null) return `${named} costs ${otherwise}.`
    if (from.text === null) return `${named} has its own price: USD ${to.text} per ${per}.`
    const [before, after] = [from.number!, to.number!]
    if (after === 0) return `${named} becomes free.`
    if (before === 0) return `${named} costs USD ${to.text} per ${per}. It was free.`
    return `${named} costs ${percent(before, after)} % ${after > before ? 'more' : 'less'}.`
  }

/** @param what the plan limits: `requests per minute` */
const changedCount =
  (what: string): Saying =>
  (plan, from, to) => {
    if (to.text === null) return `The plan ${plan} no longer sets a number of ${what}. The default applies.`
    if (from.text === null) return `The plan ${plan} allows ${to.text} ${what} instead of the default.`
    return `The plan ${plan} allows ${to.text} ${what} instead of ${from.text}.`
  }

/** @param per what the cap is for: `a month` */
const changedAmount =
  (per: string): Saying =>
  (plan, from, to) =>
    `Accounts of the plan ${plan} can spend USD ${to.text} ${per} instead of USD ${from.text}.`

const changedModelOfPlan: Saying = (plan, from, to) =>
  to.text === null
    ? `The plan ${plan} no longer includes ${from.text}. Requests get 403.`
    : `The plan ${plan} includes ${to.text}.`

const changedPlanPrice =
  (id: string): Saying =>
  (plan, from, to) => {
    if (to.text === null) {
      return `${id} (${from.text}) no longer belongs to the plan ${plan}. Its subscribers keep their plan, with an error in the log.`
    }
    if (from.text === null) return `${id} (${to.text}) is a price of the plan ${plan}.`
    return `${id} of the plan ${plan} is shown as ${to.text} instead of ${from.text}. The payment provider decides the charge.`
  }

/** @param what changes: `The route` */
const changedFallback =
  (what: string): Saying =>
  (of, from, to) =>
    `${what} of ${of} changes from ${from.text ?? 'none'} to ${to.text ?? 'none'}.`

/** The difference in percent, with at most one decimal. */
function percent(before: number, after: number): string {
  const value = (Math.abs(after - before) / before) * 100
  if (value < 0.1) return 'less than 0.1'
  return value.toFixed(1).replace(/\.0$/, '')
}

/** A value of a catalog that can change. */
export interface Leaf {
  /** Inside its model or plan, as in the file: `usd_per_million_tokens.input`. */
  readonly path: string
  /** For people; null: the catalog has no such value. */
  readonly text: string | null
  /** For comparisons of amounts and counts; null for other values. */
  readonly number: number | null
  /** Says in a sentence what a change of it means. */
  readonly say: Saying
}

/** All values of a model. */
export function leavesOfModel(model: Model): Leaf[] {
  const { prices, retail } = model
  return [
    ...leavesOfPrices(prices, ''),
    ...(retail === undefined ? [] : leavesOfPrices(retail, 'retail.')),
    text('source', prices.source ?? null, 'The source of the prices'),
    text('as_of', prices.asOf ?? null, 'The day of the prices'),
    text('list_differences', json(prices.listDifferences), 'The list of known differences from a price list'),
    text('route', model.route.map(describeTarget).join(', '), 'The route'),
    text('aliases', model.aliases?.join(', ') ?? null, 'The list of aliases'),
    text('kind', model.kind, 'The kind'),
    text('owned_by', model.ownedBy, 'The owner'),
    text('about', model.about ?? null, 'The description'),
    text('features', model.features?.join(', ') ?? null, 'The list of features'),
    text('knowledge', model.knowledge ?? null, 'The month of its knowledge'),
    text('created', String(model.created), 'The time of creation'),
    text('context_window', String(model.contextWindow), 'The context window'),
    text('max_output_tokens', String(model.maxOutputTokens), 'The maximum of output tokens'),
    text('default_output_tokens', String(model.defaultOutputTokens), 'The default of output tokens'),
    text('fewest_output_tokens', String(model.fewestOutputTokens), 'The minimum of output tokens'),
    text('output_parameter', model.outputParameter, 'The parameter that limits output'),
    text('images', json(model.images), 'The rule for images'),
    text('audio', json(model.audio), 'The rule for audio'),
    text('hidden_output', String(model.hidesOutput ?? false), 'Whether output is hidden'),
    text('template_tokens', json(model.templateTokens), 'The tokens that the template adds'),
    text('search_tokens', numberOrNone(model.searchTokens), 'The tokens that a search adds'),
    text('bytes_per_token', numberOrNone(model.bytesPerToken), 'The bytes that are reserved as a token'),
    text('tokenizer', model.tokenizer, 'The tokenizer')
  ]
}

/** @param place `retail.` for what customers pay; '' for what the providers bill */
function leavesOfPrices(prices: ModelPrices, place: '' | 'retail.'): Leaf[] {
  const prefix = place === '' ? '' : 'Retail: '
  const price = ({ unit, kind, name, member, otherwise }: PricedRow): Leaf => {
    const picos = prices[member]
    const { prices: path, per, label } = units[unit]
    return {
      path: `${place}${path}.${kind}`,
      text: picos === undefined ? null : usdPer(per, picos),
      number: picos ?? null,
      say: changedPrice(
        prefix + name,
        per === 1_000_000 ? `million ${unit}s` : label,
        otherwiseWords[otherwise ?? 'dearest']
      )
    }
  }
  const { requestNanos } = prices
  return [
    ...pricedRows.map(price),
    text(
      `${place}usd_per_request`,
      requestNanos === undefined ? null : formatUsd(BigInt(requestNanos)),
      `${prefix}The price of a request`
    ),
    text(`${place}usd_per_call`, describeCalls(prices.callNanos), `${prefix}The prices of calls of tools`),
    text(
      `${place}prices_by_tier_length_and_date`,
      json(prices.periods),
      `${prefix}The list of prices by tier, length of the prompt and date`
    )
  ]
}

const numberOrNone = (value: number | undefined): string | null => (value === undefined ? null : String(value))

/** What a meter without a price costs. */
const otherwiseWords = {
  dearest: 'as much as the dearest of its side',
  whole: 'the same as the rest of its side',
  nothing: 'nothing'
} as const

const describeCalls = (callNanos: Model['prices']['callNanos']): string | null =>
  callNanos === undefined
    ? null
    : Object.entries(callNanos)
        .map(([type, nanos]) => `${type} ${formatUsd(BigInt(nanos))}`)
        .join(', ')

/** All values of a plan. */
export function leavesOfPlan({ limits, caps, keyChanges, ...plan }: Plan): Leaf[] {
  const count = (path: string, value: number | null | undefined, what: string): Leaf => ({
    path,
    text: value === undefined ? null : value === null ? 'unlimited' : String(value),
    number: value ?? null,
    say: changedCount(what)
  })
  const amount = (path: string, nanos: number, per: string): Leaf => ({
    path,
    text: formatUsd(BigInt(nanos)),
    number: nanos,
    say: changedAmount(per)
  })
  return [
    text('name', plan.name, 'The name'),
    text('entitlements', plan.entitlements.join(', '), 'The list of entitlements'),
    text('price_group', plan.priceGroup ?? null, 'The price group'),
    count('key_quota', plan.keyQuota, 'API keys'),
    count('key_changes.per_hour', keyChanges?.perHour, 'changes of keys per hour'),
    count('key_changes.burst', keyChanges?.burst, 'changes of keys at once'),
    count('seats', plan.seats, 'seats'),
    count('limits.requests_per_minute', limits.requestsPerMinute, 'requests per minute'),
    count('limits.burst_requests', limits.burstRequests, 'requests at once'),
    count('limits.tokens_per_minute', limits.tokensPerMinute, 'tokens per minute'),
    count('limits.burst_tokens', limits.burstTokens, 'tokens at once'),
    count('limits.concurrent_requests', limits.concurrentRequests, 'concurrent requests'),
    count('limits.free_requests_per_minute', limits.freeRequestsPerMinute, 'requests per minute to free models'),
    count('limits.free_requests_per_day', limits.freeRequestsPerDay, 'requests per day to free models'),
    count('limits.body_memory_mb', limits.bodyMemoryMb, 'MiB of request bodies per key'),
    amount('caps_usd.request', caps.requestNanos, 'per request'),
    amount('caps_usd.month', caps.monthlyNanos, 'a month'),
    ...plan.models.map((name): Leaf => ({ path: `models.${name}`, text: name, number: null, say: changedModelOfPlan })),
    ...(plan.prices ?? []).map(
      (price): Leaf => ({
        path: `prices.${price.id}`,
        text: describePlanPrice(price),
        number: null,
        say: changedPlanPrice(price.id)
      })
    )
  ]
}

/** What pages say of a provider, in a few words. */
export const describeProvider = ({ company, country, keeps, trains, terms, asOf }: Provider): string =>
  [company, country, keeps, trains === undefined ? undefined : `trains: ${trains}`, terms, asOf]
    .filter((part) => part !== undefined)
    .join(', ')

/** The order of models and plans. Of two plans, the later one counts as better. */
export const orders = ({ models, plans }: Catalog): Array<{ path: string; names: string[] }> => [
  { path: 'models', names: Object.keys(models) },
  { path: 'plans', names: Object.keys(plans) },
  ...Object.entries(plans).map(([id, plan]) => ({ path: `plans.${id}.models`, names: plan.models }))
]

/** A model in a few words, if it is new or removed. */
export const describeModel = ({ kind, route, prices }: Model): string =>
  `${kind}, input ${usdPer(1_000_000, prices.inputPicos)}, output ${usdPer(1_000_000, prices.outputPicos)}, ` +
  `route ${route.map(describeTarget).join(', ')}`

/** A plan in a few words. */
export const describePlan = ({ name, models, caps }: Plan): string =>
  `${name}, ${models.length} models, USD ${formatUsd(BigInt(caps.monthlyNanos))} a month`

const text = (path: string, value: string | null, what: string): Leaf => ({
  path,
  text: value,
  number: null,
  say: changedFallback(what)
})

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))

/** Converts picodollars per unit into exact dollars per so many units. */
const usdPer = (units: number, picos: number): string => formatUsd((BigInt(picos) * BigInt(units)) / 1000n)

function describeTarget({ upstream, model, priority, weight, prices }: Target): string {
  const bills = prices === undefined ? '' : `, bills ${JSON.stringify(prices)}`
  return `${upstream} (${model}${priority === 0 ? '' : `, priority ${priority}`}${weight === 1 ? '' : `, weight ${weight}`}${bills})`
}

function describePlanPrice({ interval, amount, currency, isSold }: PlanPrice): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency
  }).resolvedOptions()
  const sum = (amount / 10 ** digits).toFixed(digits)
  return `${currency.toUpperCase()} ${sum} a ${interval}${isSold ? '' : ', no longer sold'}`
}
