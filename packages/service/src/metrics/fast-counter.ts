import type { MetricValueWithName } from 'prom-client'
import { SeriesFamily, type SeriesFamilyOptions } from './series-family.ts'

/** One series of a counter. */
export class CounterSeries {
  value = 0

  /** @param amount 0 or more */
  add(amount: number): void {
    this.value += amount
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
    shown: Array<Omit<MetricValueWithName<string>, 'metricName'>>
  ): void {
    shown.push({ value: value / this.#unitsPerShown, labels })
  }
}
