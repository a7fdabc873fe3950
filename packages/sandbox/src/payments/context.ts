import type { DatabaseSync } from 'node:sqlite'
import type { Answers, Deliveries, Numbers } from './database.ts'
import type { Emit } from './emit.ts'
import type { Objects } from './object-store.ts'
import type { PaymentsSettings } from './settings.ts'

/** Everything that the endpoints share. */
export interface PaymentsContext {
  readonly settings: PaymentsSettings
  readonly database: DatabaseSync
  readonly objects: Objects
  readonly answers: Answers
  readonly deliveries: Deliveries
  readonly clock: Clock
  /** Stores an event and a delivery for each webhook endpoint. */
  readonly emit: Emit
  /** `http://127.0.0.1:<port>`, known once the server listens. */
  baseUrl(): string
}

/** The account's clock: the machine's time plus the seconds that it was advanced by. */
interface Clock {
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
