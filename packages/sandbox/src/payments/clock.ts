import type { Numbers } from './store/numbers.ts'

/** The account's clock: the machine's time plus the seconds that it was advanced by. */
export interface Clock {
  /** Unix seconds. */
  nowS(): number
  /** Advances the clock by `seconds`. */
  advance(seconds: number): void
  /** Runs `change` at the time `timeS` (Unix seconds). */
  at<Result>(timeS: number, change: () => Result): Result
}

/**
 * @param numbers stores the seconds that the clock was advanced by
 * @param now Unix milliseconds
 */
export function createClock(numbers: Numbers, now: () => number): Clock {
  let momentS: number | null = null
  return {
    nowS: () => momentS ?? Math.floor(now() / 1000) + numbers.get('clock_offset_s'),
    advance: (seconds) => numbers.set('clock_offset_s', numbers.get('clock_offset_s') + seconds),
    at(timeS, change) {
      const before = momentS
      momentS = timeS
      try {
        return change()
      } finally {
        momentS = before
      }
    }
  }
}
