import type { MetricValueWithName } from 'prom-client'
import { SeriesFamily, type SeriesFamilyOptions } from './series-family.ts'

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
    shown: Array<MetricValueWithName<string>>
  ): void {
    let count = 0
    for (const [at, inBucket] of counts.entries()) {
      count += inBucket
      const le = this.#bounds[at] ?? '+Inf'
      shown.push({ metricName: `${this.name}_bucket`, value: count, labels: { le, ...labels } })
    }
    shown.push({ metricName: `${this.name}_sum`, value: sum, labels })
    shown.push({ metricName: `${this.name}_count`, value: count, labels })
  }
}
