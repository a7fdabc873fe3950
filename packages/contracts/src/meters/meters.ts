/**
 * What is counted and priced, from the gateway's settlement to the dashboard. A row here, and a migration, are all that
 * a new meter needs: layouts in Redis, columns of the ledger and the request log, members of the API, receipts, CSV,
 * charts, kinds of prices and lines of a charge follow from it.
 */

/** How a unit is priced in the catalog file, and how much of it a provider may report for one request. */
export interface Unit {
  /** The member of a model with its prices. */
  readonly prices: string
  /** How many units a price of the file is for. */
  readonly per: number
  /** After a price, such as `$0.10 / 1M`. */
  readonly label: string
  /** A report with more is not used. */
  readonly most: number
}

export const units = {
  token: { prices: 'usd_per_million_tokens', per: 1_000_000, label: '1M', most: 1e8 },
  character: { prices: 'usd_per_million_characters', per: 1_000_000, label: '1M', most: 1e8 },
  second: { prices: 'usd_per_second', per: 1, label: 'second', most: 1e6 },
  image: { prices: 'usd_per_image', per: 1, label: 'image', most: 1e4 },
  search: { prices: 'usd_per_search', per: 1, label: 'search', most: 1e4 }
} as const satisfies Readonly<Record<string, Unit>>
export type UnitName = keyof typeof units
/** All of {@link UnitName}. */
export const unitNames = Object.keys(units) as UnitName[]

/** The price of a meter, in picodollars (1e-12 USD) for each unit. */
interface MeterPrice {
  /** The member of `ListedPrices`. */
  readonly member: string
  /** The name in the catalog file and in lists of models. */
  readonly kind: string
  /** The name in `pricing` of `GET /v1/models`. It is OpenRouter's, so that clients of OpenRouter read it. */
  readonly pricing: string
  /**
   * What a unit costs if a model has no price for it. `dearest`: the dearest price of its whole. `whole`: the price of
   * its whole. `nothing`: it is free. Absent: every model has this price.
   */
  readonly otherwise?: 'dearest' | 'whole' | 'nothing'
}

interface Row {
  /** The ledger's column, and the member of the API. */
  readonly column: string
  /** For people. */
  readonly name: string
  /** What it counts, in a sentence. Absent for what the API does not show. */
  readonly counts?: string
  /** 0 for most requests: passed, stored and shown only where it is not. */
  readonly isRare?: true
  /** Not measured, but derived from the cost of a request and its flags. */
  readonly isDerived?: true
  /** Not in the API, which shows the cost in dollars, and no estimates. */
  readonly isHidden?: true
  /** Absent for requests and money. */
  readonly unit?: UnitName | 'call'
  /** Which factors of a price apply, and what bounds it: the prompt or the output. */
  readonly side?: 'input' | 'output'
  /** The counter that it is a part of. */
  readonly partOf?: string
  readonly price?: MeterPrice
}

const ofPrompt = { unit: 'token', side: 'input', partOf: 'promptTokens' } as const
const ofOutput = { unit: 'token', side: 'output', partOf: 'completionTokens' } as const
const derived = { isDerived: true } as const
const hidden = { isHidden: true } as const
const rare = { isRare: true } as const

const price = <const Member extends string, const Kind extends string, const Pricing extends string>(
  member: Member,
  kind: Kind,
  pricing: Pricing
) => ({ member, kind, pricing })
const optionalPrice = <const Member extends string, const Kind extends string, const Pricing extends string>(
  member: Member,
  kind: Kind,
  pricing: Pricing,
  otherwise: NonNullable<MeterPrice['otherwise']>
) => ({ member, kind, pricing, otherwise })

/**
 * The meters, with the counters of requests and money. Money is in nanodollars (1e-9 USD).
 *
 * Redis packs them in this order: add a new one at the end. In older rows it is 0.
 */
const rows = {
  requests: { column: 'requests', name: 'Requests', counts: 'Requests.', ...derived },
  errors: { column: 'errors', name: 'Errors', counts: 'Requests that failed.', ...derived },
  promptTokens: {
    column: 'prompt_tokens',
    name: 'Input',
    counts: 'Tokens of prompts.',
    unit: 'token',
    side: 'input',
    price: price('inputPicos', 'input', 'prompt')
  },
  cachedTokens: {
    column: 'cached_tokens',
    name: 'Cached input',
    counts: 'Tokens of prompts that the provider read from its cache.',
    ...ofPrompt,
    price: price('cachedInputPicos', 'cached_input', 'input_cache_read')
  },
  completionTokens: {
    column: 'completion_tokens',
    name: 'Output',
    counts: 'Tokens of answers, with hidden reasoning.',
    unit: 'token',
    side: 'output',
    price: price('outputPicos', 'output', 'completion')
  },
  /** What accounts pay. */
  costNanos: { column: 'cost_nanos', name: 'Cost', ...hidden },
  /** Requests whose tokens or cost are estimated, and their part of the cost. */
  estimatedRequests: { column: 'estimated_requests', name: 'Estimated requests', ...derived, ...hidden },
  estimatedNanos: { column: 'estimated_nanos', name: 'Estimated cost', ...derived, ...hidden },
  /** Output that the answer does not show. */
  reasoningTokens: {
    column: 'reasoning_tokens',
    name: 'Reasoning',
    counts: 'Tokens of hidden reasoning.',
    ...ofOutput,
    price: optionalPrice('reasoningPicos', 'reasoning', 'internal_reasoning', 'whole')
  },
  /** Tokens that the provider wrote into its cache for its default time; then those for its long time. */
  cacheWriteTokens: {
    column: 'cache_write_tokens',
    name: 'Cache write',
    counts: 'Tokens that the provider wrote into its cache for its default time.',
    ...rare,
    ...ofPrompt,
    price: optionalPrice('cacheWritePicos', 'cache_write', 'input_cache_write', 'dearest')
  },
  longCacheWriteTokens: {
    column: 'long_cache_write_tokens',
    name: 'Long cache write',
    counts: 'Tokens that the provider wrote into its cache for its long time.',
    ...rare,
    ...ofPrompt,
    price: optionalPrice('longCacheWritePicos', 'cache_write_long', 'input_cache_write_1h', 'dearest')
  },
  audioInputTokens: {
    column: 'audio_input_tokens',
    name: 'Audio input',
    counts: 'Tokens of audio in prompts.',
    ...rare,
    ...ofPrompt,
    price: optionalPrice('audioInputPicos', 'audio_input', 'audio', 'dearest')
  },
  imageInputTokens: {
    column: 'image_input_tokens',
    name: 'Image input',
    counts: 'Tokens of images in prompts.',
    ...rare,
    ...ofPrompt,
    price: optionalPrice('imageInputPicos', 'image_input', 'image_token', 'whole')
  },
  audioOutputTokens: {
    column: 'audio_output_tokens',
    name: 'Audio output',
    counts: 'Tokens of audio in answers.',
    ...rare,
    ...ofOutput,
    price: optionalPrice('audioOutputPicos', 'audio_output', 'audio_output', 'dearest')
  },
  imageOutputTokens: {
    column: 'image_output_tokens',
    name: 'Image output',
    counts: 'Tokens of images in answers.',
    ...rare,
    ...ofOutput,
    price: optionalPrice('imageOutputPicos', 'image_output', 'image_output', 'dearest')
  },
  /** Calls of tools that the provider ran. Each type of tool has a price of its own. */
  toolCalls: {
    column: 'tool_calls',
    name: 'Tool calls',
    counts: 'Calls of tools that the provider ran.',
    ...rare,
    unit: 'call'
  },
  /**
   * What accounts paid, minus what providers bill for it; below zero for requests that were sold below their cost. 0
   * where both are the same, so rows of older releases are right. Only operators see it.
   */
  marginNanos: { column: 'margin_nanos', name: 'Margin', ...rare, ...hidden }
} as const satisfies Readonly<Record<string, Row>>

type Rows = typeof rows
/** The counters with a property of this value. */
type CountersWith<Key extends string, Value> = {
  [Name in keyof Rows]: Rows[Name] extends Readonly<Record<Key, Value>> ? Name : never
}[keyof Rows]

export type UsageCounter = keyof Rows
export type UsageCounts = Record<UsageCounter, number>
export const usageCounterNames = Object.keys(rows) as readonly UsageCounter[]

const rowOf = (counter: UsageCounter): Row => rows[counter]
const countersWhere = <Counter extends UsageCounter>(is: (row: Row) => boolean): readonly Counter[] =>
  usageCounterNames.filter((counter) => is(rowOf(counter))) as Counter[]

/** An object with one value for each counter. */
export function forEachCounter<Value>(toValue: (counter: UsageCounter) => Value): Record<UsageCounter, Value> {
  return Object.fromEntries(usageCounterNames.map((counter) => [counter, toValue(counter)])) as Record<
    UsageCounter,
    Value
  >
}

/** The name of each counter in the ledger's columns and in the API. */
export const usageCounters = forEachCounter((counter) => rows[counter].column) as {
  readonly [Counter in UsageCounter]: Rows[Counter]['column']
}
/** The name of each counter for people. */
export const counterNames = forEachCounter((counter) => rows[counter].name as string)

export const zeroCounts: Readonly<UsageCounts> = forEachCounter(() => 0)

/** Counters that are measured for each request. The others are derived from its cost and its flags. */
export type MeasuredCounter = Exclude<UsageCounter, CountersWith<'isDerived', true>>
export const measuredCounters = countersWhere<MeasuredCounter>(({ isDerived }) => isDerived !== true)

/** Counters that are 0 for most requests. */
export type RareCounter = CountersWith<'isRare', true>
export const rareCounters = countersWhere<RareCounter>((row) => row.isRare === true)
export const isRare = (counter: UsageCounter): counter is RareCounter => rowOf(counter).isRare === true
export type FrequentCounter = Exclude<UsageCounter, RareCounter>
export const frequentCounters = countersWhere<FrequentCounter>((row) => row.isRare !== true)

/** The rare counters of a request that are not 0. */
export type RareCounts = { readonly [Counter in RareCounter]?: number }

/** Leaves out counts that are 0. @returns null if nothing is left, as for most requests */
export function rareCounts(counts: RareCounts): RareCounts | null {
  let left: { [Counter in RareCounter]?: number } | null = null
  for (const counter of rareCounters) {
    const count = counts[counter] ?? 0
    if (count === 0) continue
    left ??= {}
    left[counter] = count
  }
  return left
}

/** What a request used of a counter. */
export function countOf<Counter extends MeasuredCounter>(
  counts: Readonly<Record<Exclude<Counter, RareCounter>, number>> & { readonly rare: RareCounts | null },
  counter: Counter
): number {
  return isRare(counter) ? (counts.rare?.[counter] ?? 0) : counts[counter as Exclude<Counter, RareCounter>]
}

/** Counters that the API shows. */
export type ShownCounter = Exclude<UsageCounter, CountersWith<'isHidden', true>>
export const shownCounters = countersWhere<ShownCounter>(({ isHidden }) => isHidden !== true)
/** Members of the API that are counters. */
export type ShownCount = Rows[ShownCounter]['column']
export const shownCounts: readonly ShownCount[] = shownCounters.map((counter) => usageCounters[counter])

/** Says what a counter of the API counts, and what it is a part of. */
export function describeCounter(counter: UsageCounter): string {
  const { counts = '', partOf } = rowOf(counter)
  return partOf === undefined ? counts : `${counts} Part of \`${usageCounters[partOf as UsageCounter]}\`.`
}

/** What requests are charged for, besides themselves. */
export type Meter = CountersWith<'unit', UnitName | 'call'>
type PricedMeter = CountersWith<'price', MeterPrice>
/** Members of a model's prices. */
export type PriceMember = Rows[PricedMeter]['price']['member']
/** Members that every model has. */
export type BasicPrice = Exclude<
  PriceMember,
  Rows[CountersWith<'price', { readonly otherwise: string }>]['price']['member']
>
export type PriceKind = Rows[PricedMeter]['price']['kind']
/** Members of `pricing` in `GET /v1/models` that are prices of meters. */
export type PricingMember = Rows[PricedMeter]['price']['pricing']

/** A priced meter, with all that follows from its row. */
export interface PricedRow {
  readonly counter: PricedMeter
  readonly column: Rows[PricedMeter]['column']
  readonly name: string
  readonly unit: UnitName
  readonly side: 'input' | 'output'
  readonly member: PriceMember
  readonly kind: PriceKind
  readonly pricing: PricingMember
  readonly otherwise: MeterPrice['otherwise']
  /** Of a whole; they may overlap. */
  readonly parts: readonly PricedRow[]
}

function pricedRow(counter: UsageCounter): PricedRow {
  const { price, ...row } = rowOf(counter)
  const parts = countersWhere<PricedMeter>(({ partOf }) => partOf === counter).map(pricedRow)
  return { counter, ...row, ...price, otherwise: price?.otherwise, parts } as PricedRow
}

/** The priced meters that are no part of another one. */
export const wholes: readonly PricedRow[] = countersWhere<PricedMeter>(
  ({ price, partOf }) => price !== undefined && partOf === undefined
).map(pricedRow)

/** The name of a price in the details of a request: `cached_input` for `cachedInputPicos`. */
export const chargedKind = (member: PriceMember): string =>
  member.replace(/Picos$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** All priced meters: each whole, and after it its parts. */
export const pricedRows: readonly PricedRow[] = wholes.flatMap((whole) => [whole, ...whole.parts])

/** Those that are 0 for most requests. */
export const rareRows = pricedRows.filter((row): row is PricedRow & { counter: RareCounter } => isRare(row.counter))

/** What a meter counts beside its parts. Below zero if they overlap. */
export const ownCount = ({ column, parts }: PricedRow, counts: Readonly<Record<MeterCount, number>>): number =>
  parts.reduce((left, part) => left - counts[part.column], counts[column])

/** All meters in the order in which people read them: each whole, and after it its parts. */
export const meters: readonly Meter[] = [
  ...pricedRows.map(({ counter }) => counter),
  ...countersWhere<Meter>(({ unit, price }) => unit !== undefined && price === undefined)
]
/** Members of the API that are meters, in the same order. */
export type MeterCount = Rows[Meter]['column']

/** The units that have a price in the catalog, with their meters. */
export const pricedUnits: ReadonlyArray<readonly [unit: UnitName, rows: readonly PricedRow[]]> = unitNames
  .map((unit) => [unit, pricedRows.filter((row) => row.unit === unit)] as const)
  .filter(([, rows]) => rows.length > 0)
