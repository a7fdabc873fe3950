import { RedisAwayError, type RedisLink, togetherFor, withoutCommand } from '@tollgate/state/link/redis-link.ts'
import { RedisRefusedError } from '@tollgate/state/link/refused-error.ts'
import { cancel, type SettledGroup, settle } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settled-request.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'
import type { Turn } from '../event-loop/end-of-turn.ts'
import { type CancelledGroup, Outboxes } from './outboxes.ts'

/** If this many settlements wait, no request is admitted. */
const maxWaiting = 50_000
const [firstRetryMs, maxRetryMs] = [50, 1000]

/** Sends settlements and cancellations to Redis, each until Redis has acknowledged it. */
export interface SettlementQueue {
  settle(account: PreparedAccount, request: SettledRequest): void
  /** Cancels a request that Redis may have admitted, and that was not sent to an upstream. */
  cancel(account: PreparedAccount, requestId: string): void
  isFull(): boolean
  /** How many settlements and cancellations wait to be acknowledged. */
  waiting(): number
  /** Resolves once nothing waits. */
  idle(): Promise<void>
  /** Drops what waits: once these holds are overdue, they are charged in full. @returns how many were dropped */
  stop(): number
}

/**
 * Gathers the settlements of one turn of the event loop, and sends them in one command.
 *
 * @param onError called once per outage when Redis rejects settlements. It is not called while Redis is unreachable: that is
 *   reported elsewhere, and no request is admitted then
 */
export function createSettlementQueue(redis: RedisLink, turn: Turn, onError: (error: Error) => void): SettlementQueue {
  const outboxes = new Outboxes()
  let waiting = 0
  let isScheduled = false
  let retryMs = firstRetryMs
  let isFailing = false
  let isStopped = false
  const retries = new Set<NodeJS.Timeout>()
  let onIdle: Array<() => void> = []

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    turn.atEnd(flush)
  }

  function flush(): void {
    isScheduled = false
    const { settled, cancelled } = outboxes.takeAll()
    for (const groups of settled) {
      for (const together of togetherFor(redis, groups, ({ account }) => account.shard)) void sendSettled(together)
    }
    for (const group of cancelled) void sendCancelled(group)
  }

  async function sendSettled(groups: readonly SettledGroup[]): Promise<void> {
    const unsettled = await settle(redis, groups)
    let settled = 0
    for (const { requests } of groups) settled += requests.length
    for (const { group, error, tried } of unsettled) {
      const { account, requests } = group
      settled -= requests.length
      failed(error, () => outboxes.addTried(account, requests, tried))
    }
    if (settled > 0) acknowledged(settled)
  }

  async function sendCancelled({ account, ids }: CancelledGroup): Promise<void> {
    try {
      await cancel(redis, account.account, ids)
      acknowledged(ids.length)
    } catch (error) {
      failed(error, () => outboxes.addCancelled(account, ids))
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

  /** Retries after a growing random wait. If all gateways retried as soon as Redis is back, they would flood it. */
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
    retryMs = Math.min(2 * retryMs, maxRetryMs)
  }

  return {
    settle(account, request) {
      waiting++
      outboxes.addSettled(account, request)
      schedule()
    },
    cancel(account, requestId) {
      waiting++
      outboxes.addCancelled(account, [requestId])
      schedule()
    },
    isFull: () => waiting >= maxWaiting,
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
