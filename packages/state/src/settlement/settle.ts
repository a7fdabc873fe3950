import { frequentCounters, rareCounters } from '@tollgate/contracts/meters/meters.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { callForAccount, callForShard } from '../link/call-script.ts'
import { RedisAwayError, type RedisLink } from '../link/redis-link.ts'
import { encodeReceipt, encodeReceipts } from '../receipts/receipt-text.ts'
import { bulk, type PreparedAccount, packNumbers, prepareAccount, utf8 } from '../wire/packed.ts'
import { countsOf, packHeld, packSum, type SettledRequest, sumsOf } from './settlement-sums.ts'

/**
 * Requests of one account with the same earlier attempts. `tried` has the tags of the runs that earlier attempts may
 * have reached, one after the other (see {@link tagOf}); it is empty on the first attempt.
 */
export interface SettledGroup {
  account: PreparedAccount
  requests: readonly SettledRequest[]
  tried: string
}

/** A group that may be unsettled, with the reason. `tried` has the tags of all attempts so far. */
export interface UnsettledGroup {
  group: SettledGroup
  error: Error
  tried: string
}

/**
 * The tag of a run: the beginning of its process id and the end of its replication id. The same as in keyspace/tag.lua.
 */
export const tagOf = (run: string): string => run.slice(0, 8) + run.slice(-8)

/**
 * Settles requests. A request that is settled again is charged once, as long as `tried` names every earlier attempt.
 * First attempts are settled together, by sums. If a hold of a group is missing, its requests are settled one by one.
 *
 * @param groups of accounts of one shard, if Redis is spread
 * @param receiptBytes memory for the receipts of a shard: the oldest are dropped above it; 0 if requests are not logged
 * @returns the groups to settle again
 */
export async function settle(
  link: RedisLink,
  groups: readonly SettledGroup[],
  receiptBytes = 0
): Promise<UnsettledGroup[]> {
  const unsettled: UnsettledGroup[] = []
  const settleOne = async (group: SettledGroup): Promise<void> => {
    const run = runOf(link, group)
    try {
      await settleEach(link, group, receiptBytes)
    } catch (error) {
      unsettled.push(failed(group, run, error))
    }
  }
  const retried = groups.filter(({ tried }) => tried !== '').map(settleOne)
  const fresh = retried.length === 0 ? groups : groups.filter(({ tried }) => tried === '')
  const run = fresh.length === 0 ? null : runOf(link, fresh[0]!)
  try {
    for (const number of fresh.length === 0 ? [] : await settleHeld(link, fresh, receiptBytes)) {
      retried.push(settleOne(fresh[number - 1]!))
    }
  } catch (error) {
    for (const group of fresh) unsettled.push(failed(group, run, error))
  }
  if (retried.length > 0) await Promise.all(retried)
  return unsettled
}

/** The run id of the process that will get a group; null if it is not known. */
function runOf(link: RedisLink, { account }: SettledGroup): string | null {
  try {
    return link.nodeOf(account.shard).run()
  } catch {
    return null
  }
}

/** @param run run id of the process that got the group; null if it was not sent */
function failed(group: SettledGroup, run: string | null, error: unknown): UnsettledGroup {
  const { tried } = group
  const isKnown = run === null || error instanceof RedisAwayError || tried.includes(tagOf(run))
  return { group, error: error as Error, tried: isKnown ? tried : tried + tagOf(run) }
}

/**
 * Settles requests for the first time, by sums. A group with a missing hold is left as it is: settle it with
 * {@link settleEach}. With several Redis masters, all accounts must be of one shard.
 *
 * @param groups one for each account
 * @returns the numbers of the groups that were left, from 1
 * @throws RedisAwayError if the call was not sent; else ioredis' error: then the groups may be settled
 */
async function settleHeld(link: RedisLink, groups: readonly SettledGroup[], receiptBytes: number): Promise<number[]> {
  const isLogged = receiptBytes > 0
  let keys = ''
  let rest = isLogged ? bulk(String(receiptBytes)) : noBytes
  let receipts = ''
  for (const { account, requests } of groups) {
    keys += account.name
    const sums = sumsOf(requests)
    let group = packNumbers(requests.length, sums.length)
    for (const request of requests) group += packHeld(request)
    for (const sum of sums) group += packSum(sum)
    rest += bulk(group)
    if (isLogged) receipts += bulk(receiptsOf(requests))
  }
  const argumentCount = 1 + (isLogged ? 2 : 1) * groups.length
  const call = { keyCount: groups.length, keys, argumentCount, rest: rest + receipts }
  return (await callForShard(link, groups[0]!.account.shard, 'tgSettleHeld', call)) as number[]
}

const noBytes = bulk('')

/** The receipts of a group, one a line, as a binary string; empty unless all of its requests have one. */
function receiptsOf(requests: readonly SettledRequest[]): string {
  const receipts: Receipt[] = []
  for (const { receipt } of requests) if (receipt != null) receipts.push(receipt)
  return receipts.length < requests.length ? '' : utf8(encodeReceipts(receipts))
}

/**
 * Settles requests of one account one by one.
 *
 * @throws RedisAwayError if the call was not sent, or control must verify the shard first; else ioredis' error: then
 *   the requests may be settled
 */
async function settleEach(
  link: RedisLink,
  { account, requests, tried }: SettledGroup,
  receiptBytes: number
): Promise<void> {
  const rest: Array<string | number> = [tried, receiptBytes || '']
  for (const request of requests) {
    rest.push(
      request.id,
      request.at,
      request.key,
      request.model,
      request.upstream,
      request.budgets,
      request.heldNanos,
      request.heldTokens,
      request.tokensPerMinute,
      request.tokensRestMs
    )
    const counts = countsOf(request)
    for (const counter of frequentCounters) rest.push(counts[counter])
    for (const counter of rareCounters) rest.push(counts[counter])
    rest.push(request.receipt == null ? '' : encodeReceipt(request.receipt))
  }
  if ((await callForAccount(link, account, 'tgSettle', rest)) === 0) throw new RedisAwayError()
}

/**
 * Cancels requests of one account that may have been admitted and were sent to no upstream. It refunds reaped requests.
 * It may be repeated.
 *
 * @param receiptBytes see {@link settle}
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function cancel(
  link: RedisLink,
  account: string,
  ids: readonly string[],
  receiptBytes = 0
): Promise<void> {
  await callForAccount(link, prepareAccount(account), 'tgCancel', [receiptBytes || '', ...ids])
}
