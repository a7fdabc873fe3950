import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Database } from '../database/connect.ts'

/** As many as leave most of a database's connections to everything else. */
export const concurrencyLimitFor = ({ connections }: Pick<Database, 'connections'>): ConcurrencyLimit =>
  createConcurrencyLimit(Math.max(1, Math.floor(connections / 3)))

/** Runs work, at most so much at once; what comes later waits its turn. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, limit: AbortSignal) => Promise<Result>

/**
 * A transaction that waits for the payment provider holds a connection. Only some may do so at once, or a slow provider
 * would take the database away from everything else.
 *
 * The function that it returns throws a ServiceError of that code if no turn has come by the limit.
 *
 * @param most how much may run at once
 */
export function createConcurrencyLimit(most: number, lateCode: ErrorCode = 'payments_unavailable'): ConcurrencyLimit {
  let free = most
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
