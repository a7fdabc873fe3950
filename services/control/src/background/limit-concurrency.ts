import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { Database } from '../database/connect.ts'

/** A limit that leaves two thirds of a database's connections to other work. */
export const concurrencyLimitFor = (
  { connections }: Pick<Database, 'connections'>,
  refusal: ErrorCode
): ConcurrencyLimit => createConcurrencyLimit(Math.max(1, Math.floor(connections / 3)), { refusal })

/**
 * Runs work under a concurrency limit; further work waits in order. With several owners, the next work is that of the
 * owner with the fewest works under way, so that nobody's many works keep others waiting.
 */
export type ConcurrencyLimit = <Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
  owner?: string
) => Promise<Result>

export interface Waiting {
  /** The code of the ServiceError for work that cannot run. */
  readonly refusal: ErrorCode
  /** The maximum number of works that wait. Default: any number. */
  readonly maxWaiting?: number
}

/**
 * Creates a concurrency limit.
 *
 * The returned function throws a ServiceError with the code `refusal` if the work cannot start before its signal
 * aborts, or at once if too much work waits.
 *
 * @param max the maximum number of works at once
 */
export function createConcurrencyLimit(
  max: number,
  { refusal, maxWaiting = Number.POSITIVE_INFINITY }: Waiting
): ConcurrencyLimit {
  let free = max
  const underWay = new Map<string, number>()
  const waiting: Array<{ readonly owner: string; readonly enter: () => void }> = []

  const count = (owner: string): number => underWay.get(owner) ?? 0

  function note(owner: string, change: 1 | -1): void {
    const works = count(owner) + change
    if (works === 0) underWay.delete(owner)
    else underWay.set(owner, works)
  }

  function take(owner: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new ServiceError(refusal, { cause: signal.reason }))
    if (free > 0) {
      free--
      note(owner, 1)
      return Promise.resolve()
    }
    if (waiting.length >= maxWaiting) {
      return Promise.reject(new ServiceError(refusal, { cause: new Error(`${waiting.length} others wait already`) }))
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        note(owner, 1)
        resolve()
      }
      const one = { owner, enter }
      const leave = () => {
        waiting.splice(waiting.indexOf(one), 1)
        reject(new ServiceError(refusal, { cause: signal.reason }))
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(one)
    })
  }

  function give(owner: string): void {
    note(owner, -1)
    if (waiting.length === 0) {
      free++
      return
    }
    const next = waiting.reduce((best, one) => (count(one.owner) < count(best.owner) ? one : best))
    waiting.splice(waiting.indexOf(next), 1)
    next.enter()
  }

  return async (work, signal, owner = '') => {
    await take(owner, signal)
    try {
      return await work()
    } finally {
      give(owner)
    }
  }
}
