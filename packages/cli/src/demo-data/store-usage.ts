import { setTimeout as delay } from 'node:timers/promises'
import type { OfferedModel } from '@tollgate/contracts/http/account.ts'
import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { noteUses } from '@tollgate/state/last-uses/last-uses.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { settle } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import { prepareAccount } from '@tollgate/state/wire/packed.ts'
import { SystemError } from '../system/system-error.ts'
import { type PastRequest, pastReceipt } from './past-usage.ts'

const requestsPerCall = 100
/** More than the receipts of all demo requests. */
const receiptBytes = 100_000_000
const connectTimeoutMs = 10_000
/** The request log keeps no older receipts, by default. */
const logSeconds = 30 * 86_400

export interface StoreOptions {
  /** Of the account's plan. */
  readonly models: readonly OfferedModel[]
  /** Whether the requests get receipts. */
  readonly isLogged: boolean
}

/**
 * Settles past requests in Redis and leaves their receipts there, as a gateway does. Control then copies them to the
 * ledger and to the request log.
 *
 * @throws SystemError if Redis does not answer; Redis' error if it refuses a settlement
 */
export async function storeUsage(
  redisUrl: string,
  account: string,
  requests: readonly PastRequest[],
  { models, isLogged }: StoreOptions
): Promise<void> {
  const link = connectRedis(redisUrl, { name: 'tollgate-demo-data', silenceTimeoutMs: 10_000, onError: () => {} })
  try {
    const deadline = performance.now() + connectTimeoutMs
    while (!link.isReady()) {
      if (performance.now() > deadline)
        throw new SystemError('Redis does not answer. Check that it is running, then try again.')
      await delay(20)
    }
    const prepared = prepareAccount(account)
    const logFrom = Math.floor(Date.now() / 1000) - logSeconds
    for (let from = 0; from < requests.length; from += requestsPerCall) {
      const settled = requests.slice(from, from + requestsPerCall).map(settledRequest)
      const unsettled = await settle(link, [{ account: prepared, requests: settled, tried: '' }])
      for (const { error } of unsettled) throw error
      if (!isLogged) continue
      const receipts = requests
        .slice(from, from + requestsPerCall)
        .filter(({ at }) => at >= logFrom)
        .map((request) => encodeReceipt(pastReceipt(account, request, models, Math.random)))
      if (receipts.length > 0) await noteReceipts(link, accountShard(account), receipts, receiptBytes)
    }
    await noteUses(link, lastUses(requests))
  } finally {
    await link.close()
  }
}

/** The settlement of a request without a hold. Redis counts its full cost. */
function settledRequest(request: PastRequest): SettledRequest {
  const id = `demo_${crypto.randomUUID()}`
  return {
    ...zeroCounts,
    ...request,
    id,
    upstream: 'openai',
    heldNanos: 0,
    heldTokens: 0,
    tokensPerMinute: 1,
    tokensRestMs: 0,
    estimated: false
  }
}

function lastUses(requests: readonly PastRequest[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { key, at } of requests) uses.set(key, Math.max(uses.get(key) ?? 0, at * 1000))
  return uses
}
