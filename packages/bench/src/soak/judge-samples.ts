import { formatNumber } from '../report/table.ts'
import { type Growth, judgeGrowth, type Margin } from './growth.ts'
import type { Sample } from './watch.ts'

/** What a figure did over a soak. */
export interface Judged {
  name: string
  /** Null if the run was too short to tell. */
  growth: Growth | null
  /** In words. */
  told: string
}

/** A shorter run shows how V8 sizes its heap, not what is left behind. */
const shortestMs = 300_000
/** The part of a run that is not looked at: by then caches are filled, and old objects were collected several times. */
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
  // As many as there are clients and streams at that moment.
  { name: 'active handles', of: ({ handles }) => handles, unit: 1, margin: { share: 0.1, amount: 10 } }
]

/** Judges whether memory and handles have stayed level. */
export function judgeSamples(samples: readonly Sample[], soakMs: number): Judged[] {
  const warm = samples.filter(({ atMs }) => atMs >= warmUpMs)
  return figures.map(({ name, of, unit, margin }) => {
    if (soakMs < shortestMs) return { name, growth: null, told: 'not judged in a run of less than five minutes' }
    const growth = judgeGrowth(
      warm.map(of).filter((value) => value !== null),
      margin
    )
    const number = (value: number) => formatNumber(value / unit, unit === 1 ? 0 : 1)
    const told = `${number(growth.first)} in the first third after the warm-up, ${number(growth.last)} in the last; up to ${number(growth.limit)} is level`
    return { name, growth, told }
  })
}
