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
import { bulkAscii, bulks, callScript } from './call-script.ts'
import type { RedisLink } from './redis-link.ts'
import { argumentsOfHeld, argumentsOfSum, encodeHeld, encodeSum, sumsOf } from './settlement-sums.ts'

const keysOfGroup = 6

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

/** The names of what settlements of an account change, in the form of the wire. */
export type PreparedSettlement = { readonly account: string; readonly keys: string }

export function prepareSettlement(account: string): PreparedSettlement {
  const [spend, limits, holds, , usage, dirty, index] = settlementKeys(account)
  return { account, keys: bulks([spend!, limits!, holds!, usage!, dirty!, index!]) }
}

/** Requests of one account. */
export type SettledGroup = { settlement: PreparedSettlement; requests: readonly SettledRequest[] }

/**
 * Settles requests, each once, however often it is settled, if `isRetry` is right. What was never tried before is settled
 * together; a group for which that is not enough, request by request.
 *
 * @param groups one for each account
 * @param isRetry of each request: false only if it has certainly not been sent to Redis before
 * @returns for each group a promise that rejects with RedisAwayError if nothing of it was sent, else with ioredis' error:
 *   then it may have been applied
 */
export function settle(
  link: RedisLink,
  groups: readonly SettledGroup[],
  isRetry: (request: SettledRequest) => boolean
): Array<Promise<void>> {
  const fresh = groups.filter(({ requests }) => !requests.some(isRetry))
  const left = fresh.length === 0 ? null : settleHeld(link, fresh)
  return groups.map(async (group) => {
    const { settlement, requests } = group
    if (left !== null && fresh.includes(group) && !(await left).has(group)) return
    await settleEach(link, settlement.account, requests, isRetry)
  })
}

/**
 * Settles requests that were never settled before, by sums. An account whose requests are not all held any more is left
 * as it is: those have to be settled with {@link settleEach}. In a Redis Cluster all accounts must be of one shard.
 *
 * @param groups one for each account
 * @returns the groups that were left
 * @throws RedisAwayError if it was not sent. Else ioredis' error: then it may have been applied
 */
async function settleHeld(link: RedisLink, groups: readonly SettledGroup[]): Promise<Set<SettledGroup>> {
  let keys = ''
  let rest = ''
  let argumentCount = 0
  for (const { settlement, requests } of groups) {
    keys += settlement.keys
    const sums = sumsOf(requests)
    rest += bulkAscii(String(requests.length)) + bulkAscii(String(sums.length))
    for (const request of requests) rest += encodeHeld(request)
    for (const sum of sums) rest += encodeSum(sum)
    argumentCount += 2 + argumentsOfHeld * requests.length + argumentsOfSum * sums.length
  }
  const call = { keyCount: keysOfGroup * groups.length, keys, argumentCount, rest }
  const left = (await callScript(link, 'tgSettleHeld', call)) as number[]
  return new Set(left.map((number) => groups[number - 1]!))
}

/**
 * Settles requests of one account, each by itself.
 *
 * @throws RedisAwayError if it was not sent. Else ioredis' error: then it may have been applied
 */
async function settleEach(
  link: RedisLink,
  account: string,
  requests: readonly SettledRequest[],
  isRetry: (request: SettledRequest) => boolean
): Promise<void> {
  const rest: Array<string | number> = []
  for (const request of requests) {
    rest.push(
      request.id,
      isRetry(request) ? 1 : 0,
      request.at,
      request.key,
      request.model,
      request.heldNanos,
      request.heldTokens,
      request.tokensPerMinute,
      request.tokensRestMs,
      request.costNanos,
      request.promptTokens,
      request.cachedTokens,
      request.completionTokens,
      request.failed ? 1 : 0,
      request.estimated ? 1 : 0
    )
  }
  await link.client.tgSettle(...settlementKeys(account), link.run(), ...rest)
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
