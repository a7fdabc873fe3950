import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { endedHoldPrefix } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import { settleOf } from '@tollgate/state/testing/one-account.ts'

let requests = 0

/**
 * Settles a request as a gateway does after Redis lost the hold: the full cost is applied.
 *
 * @param reapedNanos what was charged when the hold expired; only the difference is applied then
 * @returns the settled request
 */
export async function serve(
  redis: RedisNode,
  account: string,
  changed: Partial<SettledRequest> = {},
  reapedNanos = 0
): Promise<SettledRequest> {
  const request = requestOf(changed)
  if (reapedNanos > 0) {
    const { id, at, key, model } = request
    await redis.client.set(endedHoldPrefix(account) + id, `${reapedNanos}|0|0|${at}|${key}|${model}`)
  }
  await settleOf(redis, account, [request])
  return request
}

/** A request that cost something, of the present second. */
export function requestOf(changed: Partial<SettledRequest>): SettledRequest {
  const number = ++requests
  return {
    id: `req_${number}`,
    key: 'key_a',
    model: 'small',
    upstream: '',
    budgets: '',
    at: Math.floor(Date.now() / 1000),
    heldNanos: 0,
    heldTokens: 0,
    tokensPerMinute: 1000,
    tokensRestMs: 0,
    ...nothingCounted,
    costNanos: 1_000_000 + number,
    promptTokens: 10,
    cachedTokens: 4,
    completionTokens: 5,
    reasoningTokens: 2,
    failed: false,
    estimated: false,
    ...changed
  }
}
