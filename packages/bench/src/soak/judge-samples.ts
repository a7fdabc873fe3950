import { median } from '../measure/statistics.ts'
import { formatNumber } from '../report/table.ts'
import type { Sample } from './watch.ts'

/** The judgement of one figure over a soak. */
export interface Judged {
  name: string
  /** null if the run was too short. */
  growth: Growth | null
  summary: string
}

/** In a shorter run, V8 still enlarges its heap, which would look like a leak. */
const minJudgedMs = 300_000
/** The start of a run, which is ignored: afterwards caches are full, and V8 has collected old objects several times. */
const warmUpMs = 120_000

const megabyte = 1e6
const figures: ReadonlyArray<{ name: string; of(sample: Sample): number | null; unit: number; margin: Margin }> = [
  {
    name: 'resident memory, MB',
    of: ({ residentBytes }) => residentBytes,
    unit: megabyte,
    margin: { share: 0.1, amount: 10 * megabyte }
  },
  {
    name: 'heap after a collection, MB',
    of: ({ heapBytes }) => heapBytes,
    unit: megabyte,
    margin: { share: 0.1, amount: 3 * megabyte }
  },
  // Varies with the number of clients and streams.
  { name: 'active handles', of: ({ handles }) => handles, unit: 1, margin: { share: 0.1, amount: 10 } }
]

/** Judges whether memory and handles have stayed level. */
export function judgeSamples(samples: readonly Sample[], soakMs: number): Judged[] {
  const warm = samples.filter(({ atMs }) => atMs >= warmUpMs)
  return figures.map(({ name, of, unit, margin }) => {
    if (soakMs < minJudgedMs) return { name, growth: null, summary: 'not judged in a run of less than five minutes' }
    const growth = judgeGrowth(
      warm.map(of).filter((value) => value !== null),
      margin
    )
    const number = (value: number) => formatNumber(value / unit, unit === 1 ? 0 : 1)
    const summary = `${number(growth.first)} in the first third after the warm-up, ${number(growth.last)} in the last; up to ${number(growth.limit)} is level`
    return { name, growth, summary }
  })
}

/** Whether a figure has stayed level over a run. */
interface Growth {
  /** Medians of the first and the last third of the values after the warm-up. */
  first: number
  last: number
  /** The maximum of the last median. */
  limit: number
  isLevel: boolean
}

/** The allowed increase from the first to the last third: the larger of a share and an amount. */
interface Margin {
  share: number
  amount: number
}

/**
 * Compares the median of the last third of a series with the median of the first third. Medians ignore single peaks,
 * such as between garbage collections.
 *
 * @param values after the warm-up, at least three, evenly spaced in time
 */
export function judgeGrowth(values: readonly number[], { share, amount }: Margin): Growth {
  const third = Math.floor(values.length / 3)
  if (third === 0) throw new RangeError('growth needs at least three values')
  const first = median(values.slice(0, third))
  const last = median(values.slice(-third))
  const limit = first + Math.max(first * share, amount)
  return { first, last, limit, isLevel: last <= limit }
}
