import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Database } from '../database/connect.ts'

/** A limit that leaves two thirds of a database's connections to other work. */
export const concurrencyLimitFor = (
  { connections }: Pick<Database, 'connections'>,
  refusal: ErrorCode
): ConcurrencyLimit => createConcurrencyLimit(Math.max(1, Math.floor(connections / 3)), { refusal })

/** Runs work under a concurrency limit; further work waits in order. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

export interface Waiting {
  /** The code of the ServiceError for work that cannot run. */
  readonly refusal: ErrorCode
  /** The maximum number of works that wait. Default: any number. */
  readonly maxWaiting?: number
}

/**
 * Creates a concurrency limit.
 *
 * The returned function throws a ServiceError with the code `refusal` if the work cannot start before its signal aborts, or
 * at once if too much work waits.
 *
 * @param max the maximum number of works at once
 */
export function createConcurrencyLimit(
  max: number,
  { refusal, maxWaiting = Number.POSITIVE_INFINITY }: Waiting
): ConcurrencyLimit {
  let free = max
  const waiting: Array<() => void> = []

  function take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new ServiceError(refusal, { cause: signal.reason }))
    if (free > 0) {
      free--
      return Promise.resolve()
    }
    if (waiting.length >= maxWaiting) {
      return Promise.reject(new ServiceError(refusal, { cause: new Error(`${waiting.length} others wait already`) }))
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(new ServiceError(refusal, { cause: signal.reason }))
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(enter)
    })
  }

  return async (work, signal) => {
    await take(signal)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
