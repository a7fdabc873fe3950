import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'

/** How often a code was sent, and when last: milliseconds since the epoch. */
export interface FailureCount {
  count: number
  lastAt: number
}

/** Counts the failed answers of a process by code, since its start. */
export class FailureCounts {
  readonly #counts = new Map<ErrorCode, FailureCount>()

  /** @param code a provider's own code, which the table does not have, counts as `invalid_request` */
  add(code: string): void {
    const known = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'invalid_request'
    const counted = this.#counts.get(known)
    if (counted === undefined) this.#counts.set(known, { count: 1, lastAt: Date.now() })
    else {
      counted.count++
      counted.lastAt = Date.now()
    }
  }

  /** The counts so far, by code. */
  all(): Record<string, FailureCount> {
    return Object.fromEntries(this.#counts)
  }
}
