import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KnownKey } from '../authenticate/known-key.ts'

/**
 * Reads of one key in a minute, for each process: each costs a question to Redis, and no rate of the plan counts them.
 */
const maxReadsPerMinute = 600
const windowMs = 60_000

/** Counts a read of a key: its models, or what is left of its budgets. @throws ServiceError `requests_per_minute` */
export type CountRead = (known: KnownKey) => void

export function createReadRate(): CountRead {
  const windows = new WeakMap<KnownKey, { count: number; endsAt: number }>()
  return (known) => {
    const now = performance.now()
    let window = windows.get(known)
    if (window === undefined || window.endsAt <= now) {
      window = { count: 0, endsAt: now + windowMs }
      windows.set(known, window)
    }
    if (++window.count <= maxReadsPerMinute) return
    throw new ServiceError('requests_per_minute', {
      message:
        'This API key reads models, budgets or limits too often. Keep the answers, and retry after the time in Retry-After.',
      retryAfter: Math.ceil((window.endsAt - now) / 1000)
    })
  }
}
