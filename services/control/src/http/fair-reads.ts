import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** A read waits no longer: time is left to answer before the request itself is late. */
const waitMs = 10_000
const retryAfterSeconds = 5

export interface FairReads {
  /**
   * Waits until the account may begin one more read, in order.
   *
   * @returns ends the read. Safe to repeat
   * @throws ServiceError `too_many_requests` if too many reads of the account wait, or one waits too long
   */
  enter(accountId: string): Promise<() => void>
}

interface Share {
  underWay: number
  readonly waiting: Set<() => void>
}

/**
 * Limits the reads of one account at once, so that an account with many heavy reads leaves connections to the others.
 *
 * @param maxWaiting further reads of an account that wait
 */
export function createFairReads({ maxAtOnce, maxWaiting }: { maxAtOnce: number; maxWaiting: number }): FairReads {
  const shares = new Map<string, Share>()

  function leave(accountId: string, share: Share): void {
    const [next] = share.waiting
    // The next read takes over the place.
    if (next !== undefined) next()
    else if (--share.underWay === 0) shares.delete(accountId)
  }

  function once(accountId: string, share: Share): () => void {
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      leave(accountId, share)
    }
  }

  return {
    async enter(accountId) {
      const share = shares.get(accountId) ?? { underWay: 0, waiting: new Set() }
      shares.set(accountId, share)
      if (share.underWay < maxAtOnce) share.underWay++
      else if (share.waiting.size >= maxWaiting) throw tooMany()
      else await wait(share)
      return once(accountId, share)
    }
  }
}

const tooMany = () =>
  new ServiceError('too_many_requests', {
    message: 'Too many reads of your account are under way. Wait for some of them, then retry.',
    retryAfter: retryAfterSeconds
  })

function wait({ waiting }: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      waiting.delete(enter)
      settle()
    }
    const enter = () => end(resolve)
    const timer = setTimeout(() => end(() => reject(tooMany())), waitMs)
    waiting.add(enter)
  })
}
