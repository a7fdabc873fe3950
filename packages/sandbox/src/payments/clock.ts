import type { Numbers } from './store/numbers.ts'

/** The time that the account lives in: that of the machine, and whatever it was advanced by. */
export interface Clock {
  /** Unix seconds. */
  nowS(): number
  /** From now on it is `seconds` later. */
  moveForward(seconds: number): void
  /** Runs `change` as if it were `timeS`. */
  at<Result>(timeS: number, change: () => Result): Result
}

/**
 * @param numbers keeps by how much the clock was advanced
 * @param now Unix milliseconds
 */
export function createClock(numbers: Numbers, now: () => number): Clock {
  let momentS: number | null = null
  return {
    nowS: () => momentS ?? Math.floor(now() / 1000) + numbers.get('clock_offset_s'),
    moveForward: (seconds) => numbers.set('clock_offset_s', numbers.get('clock_offset_s') + seconds),
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
