import type { RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { prepareSettlement, type SettledRequest, settle } from '@tollgate/contracts/redis/settle.ts'

let requests = 0

/** Settles a request as a gateway does whose hold Redis has lost: it is applied in full. @returns what was settled */
export async function serve(
  redis: RedisLink,
  account: string,
  changed: Partial<SettledRequest> = {}
): Promise<SettledRequest> {
  const number = ++requests
  const request: SettledRequest = {
    id: `req_${number}`,
    key: 'key_a',
    model: 'small',
    at: Math.floor(Date.now() / 1000),
    heldNanos: 0,
    heldTokens: 0,
    tokensPerMinute: 1000,
    tokensRestMs: 0,
    costNanos: 1_000_000 + number,
    promptTokens: 10,
    cachedTokens: 4,
    completionTokens: 5,
    failed: false,
    estimated: false,
    ...changed
  }
  await settle(redis, prepareSettlement(account), [request], () => false)
  return request
}
