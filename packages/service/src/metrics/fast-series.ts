import type { Counter, MetricValueWithName, Registry } from 'prom-client'

/** One series of a histogram. */
export class HistogramSeries {
  /** Inclusive upper bounds of all buckets but the last, ascending. */
  readonly #bounds: Float64Array
  /** Observations in each bucket; the last is for those above all bounds. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: Float64Array) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** @param value a number, not NaN */
  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > bounds[at]!) at++
    this.counts[at]!++
    this.sum += value
  }
}

/** One series of a counter. */
export class CounterSeries {
  value = 0

  /** @param amount 0 or more */
  add(amount: number): void {
    this.value += amount
  }
}

/** Stands for label values that a metric does not name. */
export const otherLabel = 'other'

/** Maximum series of one metric. Further label values share a series in which every label is {@link otherLabel}. */
const defaultMaxSeries = 10_000

interface SeriesFamilyOptions<Label extends string> {
  readonly name: string
  /** What is counted, in plain words. */
  readonly help: string
  readonly labelNames?: readonly Label[]
  readonly registry: Registry
  readonly maxSeries?: number
}

/** The values of a metric's labels, in the order of its label names. */
export type LabelValues = readonly string[]

export interface LabelledSeries<Series> {
  readonly labels: Readonly<Record<string, string>>
  readonly series: Series
}

/** Series below the value of one label; at the last label, the series themselves. */
type Level<Series> = Map<string, Level<Series> | LabelledSeries<Series>>

/**
 * A metric whose callers look up each series once, keep it, and then count in plain numbers. prom-client's own classes
 * hash the labels of each event, which takes longer than all else that a request's metrics cost.
 *
 * A `Registry` of prom-client shows it like its own metrics, and `AggregatorRegistry.aggregate` adds up several
 * processes.
 */
export abstract class SeriesFamily<Series, Label extends string = string> {
  abstract readonly type: 'counter' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labelNames: readonly Label[]
  readonly aggregator = 'sum'
  readonly #maxSeries: number
  readonly #root: Level<Series> = new Map()
  #count = 0

  constructor({ name, help, labelNames = [], registry, maxSeries = defaultMaxSeries }: SeriesFamilyOptions<Label>) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.#maxSeries = maxSeries
    // The registry calls `get()`, and reads the members above. Its types allow only prom-client's classes.
    registry.registerMetric(this as unknown as Counter)
  }

  /**
   * The series with these label values. It is shown from now on, even before its first event. Keep it where requests
   * pass.
   *
   * @param values in the order of the label names
   */
  series(...values: LabelValues): Series {
    if (values.length !== this.labelNames.length) throw new Error(`${this.name} has ${this.labelNames.length} labels`)
    let level = this.#root
    const last = Math.max(0, values.length - 1)
    for (let at = 0; at < last; at++) {
      const next = level.get(values[at]!) as Level<Series> | undefined
      if (next === undefined) return this.#add(values)
      level = next
    }
    const entry = level.get(values[last] ?? '') as LabelledSeries<Series> | undefined
    return entry === undefined ? this.#add(values) : entry.series
  }

  /** Removes the series with one of these values of a label. Series that callers keep are no longer shown. */
  remove(label: Label, values: ReadonlySet<string>): void {
    this.#removeFrom(this.#root, label, values)
    this.#count = [...this.all()].length
  }

  /** Every series with its labels. */
  all(): Iterable<LabelledSeries<Series>> {
    return this.#below(this.#root)
  }

  /** What prom-client shows. */
  async get() {
    const values: Array<MetricValueWithName<string>> = []
    for (const { labels, series } of this.all()) this.show(series, labels, values)
    return { name: this.name, help: this.help, type: this.type, values, aggregator: this.aggregator }
  }

  protected abstract create(): Series
  /** Adds the values of a series to those that are shown. */
  protected abstract show(
    series: Series,
    labels: Readonly<Record<string, string>>,
    values: Array<MetricValueWithName<string>>
  ): void

  #add(values: LabelValues): Series {
    const isFull = this.#count >= this.#maxSeries && values.some((value) => value !== otherLabel)
    if (isFull) return this.series(...values.map(() => otherLabel))
    let level = this.#root
    for (const value of values.slice(0, -1)) {
      let next = level.get(value) as Level<Series> | undefined
      if (next === undefined) {
        next = new Map()
        level.set(value, next)
      }
      level = next
    }
    const labels = Object.fromEntries(this.labelNames.map((name, at) => [name, values[at]!]))
    const series = this.create()
    level.set(values.at(-1) ?? '', { labels, series })
    this.#count++
    return series
  }

  #removeFrom(level: Level<Series>, label: Label, values: ReadonlySet<string>): void {
    for (const [value, entry] of level) {
      if (entry instanceof Map) {
        this.#removeFrom(entry, label, values)
        if (entry.size === 0) level.delete(value)
      } else if (values.has(entry.labels[label] ?? '')) level.delete(value)
    }
  }

  *#below(level: Level<Series>): Generator<LabelledSeries<Series>> {
    for (const entry of level.values()) {
      if (entry instanceof Map) yield* this.#below(entry)
      else yield entry
    }
  }
}

export interface FastCounterOptions<Label extends string> extends SeriesFamilyOptions<Label> {
  /** How many counted units make one shown unit: 1e9 to count nanodollars and to show dollars. Default 1. */
  readonly unitsPerShown?: number
}

/** A counter for busy places: see {@link SeriesFamily}. It counts whole numbers up to 2^53 exactly. */
export class FastCounter<Label extends string = string> extends SeriesFamily<CounterSeries, Label> {
  readonly type = 'counter'
  readonly #unitsPerShown: number

  constructor({ unitsPerShown = 1, ...options }: FastCounterOptions<Label>) {
    super(options)
    this.#unitsPerShown = unitsPerShown
  }

  protected create(): CounterSeries {
    return new CounterSeries()
  }

  protected show(
    { value }: CounterSeries,
    labels: Record<string, string>,
    values: Array<Omit<MetricValueWithName<string>, 'metricName'>>
  ): void {
    values.push({ value: value / this.#unitsPerShown, labels })
  }
}

export interface FastHistogramOptions<Label extends string> extends SeriesFamilyOptions<Label> {
  /** Inclusive upper bounds of the buckets, ascending. A bucket for all higher values is added. */
  readonly buckets: readonly number[]
}

/** A histogram for busy places: see {@link SeriesFamily}. */
export class FastHistogram<Label extends string = string> extends SeriesFamily<HistogramSeries, Label> {
  readonly type = 'histogram'
  readonly #bounds: Float64Array

  constructor({ buckets, ...options }: FastHistogramOptions<Label>) {
    super(options)
    this.#bounds = Float64Array.from(buckets)
  }

  protected create(): HistogramSeries {
    return new HistogramSeries(this.#bounds)
  }

  protected show(
    { counts, sum }: HistogramSeries,
    labels: Record<string, string>,
    values: Array<MetricValueWithName<string>>
  ): void {
    let count = 0
    for (const [at, inBucket] of counts.entries()) {
      count += inBucket
      const le = this.#bounds[at] ?? '+Inf'
      values.push({ metricName: `${this.name}_bucket`, value: count, labels: { le, ...labels } })
    }
    values.push({ metricName: `${this.name}_sum`, value: sum, labels })
    values.push({ metricName: `${this.name}_count`, value: count, labels })
  }
}
