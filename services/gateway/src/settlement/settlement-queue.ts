import { RedisAwayError, type RedisLink, togetherFor, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { RedisRefusedError } from '@tollgate/state/link/refused-error.ts'
import { cancel, type SettledGroup, type SettledRequest, settle } from '@tollgate/state/settlement/settle.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'
import type { Turn } from '../event-loop/end-of-turn.ts'

/** Requests that one script settles: few enough to keep admissions waiting for less than a millisecond. */
const mostTogether = 40
/** So much may wait; then nothing more is admitted. */
const mostWaiting = 50_000
const [firstRetryMs, longestRetryMs] = [50, 1000]

/** What Redis has to be told of requests that are over. Everything is told until it is acknowledged. */
export type SettlementQueue = {
  settle(account: PreparedAccount, request: SettledRequest): void
  /** Takes back a request that was perhaps admitted, and that was not sent to an upstream. */
  cancel(account: PreparedAccount, requestId: string): void
  isFull(): boolean
  /** How much waits to be acknowledged. */
  waiting(): number
  /** Resolves when nothing waits. */
  idle(): Promise<void>
  /** Gives up what waits. @returns how much that is: it is charged as it was reserved, once its holds are overdue */
  stop(): number
}

/** What one account has to tell. */
type Outbox = {
  readonly account: PreparedAccount
  requests: SettledRequest[]
  /** Requests that were sent and perhaps applied, by the runs of Redis in which they were: see `SettledGroup`. */
  retried: Map<string, SettledRequest[]>
  cancelled: string[]
}

/**
 * Gathers what ends in one turn of the event loop, and tells Redis in one command.
 *
 * @param onError told once of a Redis that does not take what it is told, until it does again. That Redis is away is not
 *   told: it is known, and nothing is admitted then.
 */
export function createSettlementQueue(redis: RedisLink, turn: Turn, onError: (error: Error) => void): SettlementQueue {
  let outboxes = new Map<string, Outbox>()
  let waiting = 0
  let isScheduled = false
  let retryMs = firstRetryMs
  let isFailing = false
  let isStopped = false
  const retries = new Set<NodeJS.Timeout>()
  let onIdle: Array<() => void> = []

  function outboxOf(account: PreparedAccount): Outbox {
    let outbox = outboxes.get(account.account)
    if (outbox === undefined) {
      outbox = { account, requests: [], retried: new Map(), cancelled: [] }
      outboxes.set(account.account, outbox)
    }
    return outbox
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    turn.atEnd(flush)
  }

  function flush(): void {
    isScheduled = false
    const full = outboxes
    outboxes = new Map()
    let groups: SettledGroup[] = []
    let count = 0
    function add(account: PreparedAccount, requests: SettledRequest[], tried: string): void {
      for (let from = 0; from < requests.length; from += mostTogether) {
        const some = requests.length <= mostTogether ? requests : requests.slice(from, from + mostTogether)
        if (count + some.length > mostTogether) {
          sendEach(groups)
          groups = []
          count = 0
        }
        groups.push({ account, requests: some, tried })
        count += some.length
      }
    }
    for (const { account, requests, retried, cancelled } of full.values()) {
      add(account, requests, '')
      for (const [tried, again] of retried) add(account, again, tried)
      for (let from = 0; from < cancelled.length; from += mostTogether) {
        void sendCancelled(account, cancelled.slice(from, from + mostTogether))
      }
    }
    if (count > 0) sendEach(groups)
  }

  function sendEach(groups: readonly SettledGroup[]): void {
    for (const together of togetherFor(redis, groups, ({ account }) => account.shard)) void sendRequests(together)
  }

  async function sendRequests(groups: readonly SettledGroup[]): Promise<void> {
    const unsettled = await settle(redis, groups)
    let settled = 0
    for (const { requests } of groups) settled += requests.length
    for (const { group, error, tried } of unsettled) {
      const { account, requests } = group
      settled -= requests.length
      failed(error, () => putBack(account, requests, tried))
    }
    if (settled > 0) acknowledged(settled)
  }

  function putBack(account: PreparedAccount, requests: readonly SettledRequest[], tried: string): void {
    const { requests: fresh, retried } = outboxOf(account)
    if (tried === '') fresh.push(...requests)
    else retried.set(tried, [...(retried.get(tried) ?? []), ...requests])
  }

  async function sendCancelled(account: PreparedAccount, ids: readonly string[]): Promise<void> {
    try {
      await cancel(redis, account.account, ids)
      acknowledged(ids.length)
    } catch (error) {
      failed(error, () => outboxOf(account).cancelled.push(...ids))
    }
  }

  function acknowledged(count: number): void {
    isFailing = false
    retryMs = firstRetryMs
    waiting -= count
    if (waiting > 0) return
    for (const resolve of onIdle) resolve()
    onIdle = []
  }

  /** Later, and later each time; at once as soon as Redis is back would be all gateways at once. */
  function failed(error: unknown, putBack: () => void): void {
    const isKnown = error instanceof RedisAwayError && !(error instanceof RedisRefusedError)
    if (!isKnown && !isFailing) {
      isFailing = true
      onError(withoutCommand(error as Error))
    }
    if (isStopped) return
    const timer = setTimeout(
      () => {
        retries.delete(timer)
        putBack()
        schedule()
      },
      retryMs * (0.5 + Math.random() / 2)
    )
    retries.add(timer)
    retryMs = Math.min(2 * retryMs, longestRetryMs)
  }

  return {
    settle(account, request) {
      waiting++
      outboxOf(account).requests.push(request)
      schedule()
    },
    cancel(account, requestId) {
      waiting++
      outboxOf(account).cancelled.push(requestId)
      schedule()
    },
    isFull: () => waiting >= mostWaiting,
    waiting: () => waiting,
    async idle() {
      if (waiting > 0) await new Promise<void>((resolve) => onIdle.push(resolve))
    },
    stop() {
      isStopped = true
      for (const timer of retries) clearTimeout(timer)
      return waiting
    }
  }
}
