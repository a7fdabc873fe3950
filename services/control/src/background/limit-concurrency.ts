import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Database } from '../database/connect.ts'

/** A limit that leaves two thirds of a database's connections to other work. */
export const concurrencyLimitFor = ({ connections }: Pick<Database, 'connections'>): ConcurrencyLimit =>
  createConcurrencyLimit(Math.max(1, Math.floor(connections / 3)))

/** Runs work under a concurrency limit; further work waits in order. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, limit: AbortSignal) => Promise<Result>

/**
 * A transaction that waits for the payment provider holds a connection. Without a limit, a slow provider would use up all
 * connections.
 *
 * The returned function throws a ServiceError with `lateCode` if the work cannot start before its signal aborts.
 *
 * @param max how much may run at once
 */
export function createConcurrencyLimit(max: number, lateCode: ErrorCode = 'payments_unavailable'): ConcurrencyLimit {
  let free = max
  const waiting: Array<() => void> = []

  function take(limit: AbortSignal): Promise<void> {
    if (limit.aborted) return Promise.reject(new ServiceError(lateCode, { cause: limit.reason }))
    if (free > 0) {
      free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        limit.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(new ServiceError(lateCode, { cause: limit.reason }))
      }
      limit.addEventListener('abort', leave, { once: true })
      waiting.push(enter)
    })
  }

  return async (work, limit) => {
    await take(limit)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
