import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { type CounterSeries, type HistogramSeries, otherLabel } from '@tollgate/service/metrics/fast-series.ts'
import { noneServed, type ServedRow } from '@tollgate/state/served/served-row.ts'
import type { Metrics } from './metrics.ts'

/** How an answer counts for its model; null if it says nothing about it. */
type ModelOutcome = 'successes' | 'failures' | null

/**
 * Judges an answer by the labels of its counter. Errors of clients, refusals of budgets and limits, and clients that
 * left before the answer began say nothing about the model. A stream that fails later has status 200 and a code.
 */
export function modelOutcome(status: number, code: string): ModelOutcome {
  if (status === 200 && code === '') return 'successes'
  const isOurs = Object.hasOwn(errorTable, code)
  const meant = isOurs ? errorTable[code as ErrorCode][0] : status
  return meant >= 500 ? 'failures' : null
}

/**
 * Reads what a gateway measured of each model from its metrics, so that requests need not count it again.
 *
 * @returns a function that returns the counts since its last call, by the catalog's name of the model
 */
export function createServedSince({
  answers,
  genAi
}: Pick<Metrics, 'answers' | 'genAi'>): () => Map<string, ServedRow> {
  const values = new WeakMap<CounterSeries, number>()
  const buckets = new WeakMap<HistogramSeries, Float64Array>()

  function newOf(series: CounterSeries): number {
    const more = series.value - (values.get(series) ?? 0)
    values.set(series, series.value)
    return more
  }

  function addNewBuckets(series: HistogramSeries, sums: Float64Array): void {
    const before = buckets.get(series)
    for (const [at, count] of series.counts.entries()) sums[at]! += count - (before?.[at] ?? 0)
    buckets.set(series, series.counts.slice())
  }

  return () => {
    const rows = new Map<string, ServedRow>()

    function rowOf(model: string): ServedRow {
      const row = rows.get(model) ?? noneServed()
      rows.set(model, row)
      return row
    }

    for (const { labels, series } of answers.requests()) {
      const { model = '', status, code = '' } = labels
      const outcome = isNamed(model) ? modelOutcome(Number(status), code) : null
      const more = outcome === null ? 0 : newOf(series)
      if (more > 0) rowOf(model)[outcome!] += more
    }
    for (const [metric, name] of [
      [genAi.timeToFirstToken, 'firstToken'],
      [genAi.timePerOutputToken, 'perToken']
    ] as const) {
      for (const { labels, series } of metric.all()) {
        const model = labels.gen_ai_request_model ?? ''
        if (isNamed(model) && hasNew(series, buckets.get(series))) addNewBuckets(series, rowOf(model)[name])
      }
    }
    return rows
  }
}

const isNamed = (model: string): boolean => model !== '' && model !== otherLabel

const hasNew = ({ counts }: HistogramSeries, before: Float64Array | undefined): boolean =>
  counts.some((count, at) => count !== (before?.[at] ?? 0))
