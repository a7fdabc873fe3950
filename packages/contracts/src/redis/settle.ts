import {
  accountShard,
  deadlinesName,
  dirtyName,
  gonePrefix,
  holdName,
  limitName,
  spendName,
  usageIndexName,
  usagePrefix
} from '../keyspace/names.ts'
import { PreparedCall } from './prepared-call.ts'
import type { RedisLink } from './redis-link.ts'

/** What an admitted request has come to. Amounts are nanodollars. */
export type SettledRequest = {
  id: string
  key: string
  model: string
  /** When it was admitted, seconds since the epoch by the clock of Redis. */
  at: number
  /** What was reserved: nanodollars, tokens, and the tokens a minute that they were taken from. */
  heldNanos: number
  heldTokens: number
  tokensPerMinute: number
  /** Milliseconds from its admission until the tokens were back that were taken up to then: `tokensRestMs` of its answer. */
  tokensRestMs: number
  costNanos: number
  promptTokens: number
  /** Part of `promptTokens`. */
  cachedTokens: number
  completionTokens: number
  failed: boolean
  /** Whether tokens and cost were not said by the upstream, but counted. */
  estimated: boolean
}

const settlementKeys = (account: string): string[] => [
  spendName(account),
  limitName(account),
  holdName(account),
  gonePrefix(account),
  usagePrefix(account),
  dirtyName(accountShard(account)),
  usageIndexName(accountShard(account))
]

/** The beginning of a settlement, which is the same for all of an account. */
export function prepareSettlement(account: string): PreparedCall {
  return new PreparedCall('tgSettle', settlementKeys(account), [])
}

/**
 * Settles requests of one account. Each is applied once, however often it is settled, if `isRetry` is right.
 *
 * @param settlement prepared for that account
 * @param isRetry of each: false only if it has certainly not been sent to Redis before
 * @throws RedisAwayError if it was not sent. Else ioredis' error: then it may have been applied
 */
export async function settle(
  link: RedisLink,
  settlement: PreparedCall,
  requests: readonly SettledRequest[],
  isRetry: (request: SettledRequest) => boolean
): Promise<void> {
  const rest: string[] = []
  for (const request of requests) {
    rest.push(
      request.id,
      isRetry(request) ? '1' : '0',
      String(request.at),
      request.key,
      request.model,
      String(request.heldNanos),
      String(request.heldTokens),
      String(request.tokensPerMinute),
      String(request.tokensRestMs),
      String(request.costNanos),
      String(request.promptTokens),
      String(request.cachedTokens),
      String(request.completionTokens),
      request.failed ? '1' : '0',
      request.estimated ? '1' : '0'
    )
  }
  await settlement.send(link, rest)
}

/**
 * Takes back requests of one account that were perhaps admitted, and were not sent to any upstream, also if they have
 * been reaped meanwhile. May be repeated.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function cancel(link: RedisLink, account: string, ids: readonly string[]): Promise<void> {
  await link.client.tgCancel(...settlementKeys(account), link.run(), ...ids)
}

/** What became of overdue holds: charged in full, or of another run and only released. */
export type Reaped = { charged: number; released: number }

/**
 * Ends holds of an account that are past their deadline.
 *
 * @param most how many, so that others are not kept waiting
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function reap(link: RedisLink, account: string, most: number): Promise<Reaped> {
  const keys = [...settlementKeys(account), deadlinesName(accountShard(account))]
  const [charged, released] = await link.client.tgReap(...keys, link.run(), account, most)
  return { charged, released }
}
