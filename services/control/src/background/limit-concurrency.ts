import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Database } from '../database/connect.ts'

/** A limit that leaves two thirds of a database's connections to other work. */
export const concurrencyLimitFor = (
  { connections }: Pick<Database, 'connections'>,
  lateCode?: ErrorCode
): ConcurrencyLimit => createConcurrencyLimit(Math.max(1, Math.floor(connections / 3)), lateCode)

/** Runs work under a concurrency limit; further work waits in order. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>

/**
 * Creates a concurrency limit. A transaction that waits for the payment provider holds a connection: without a limit, a slow
 * provider would use up all connections.
 *
 * The returned function throws a ServiceError with `lateCode` if the work cannot start before its signal aborts.
 *
 * @param max the maximum number of works at once
 */
export function createConcurrencyLimit(max: number, lateCode: ErrorCode = 'payments_unavailable'): ConcurrencyLimit {
  let free = max
  const waiting: Array<() => void> = []

  function take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new ServiceError(lateCode, { cause: signal.reason }))
    if (free > 0) {
      free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(new ServiceError(lateCode, { cause: signal.reason }))
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
