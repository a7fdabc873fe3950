import { digestSecret } from '@tollgate/contracts/keys/secret.ts'
import { readAccountRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { confirmRecords } from '@tollgate/state/admission/confirm.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'

/** The answer of a gateway without a cache for a key: admitted, 401, or 503 if the shard is not verified. */
export type GatewayAnswer = 'admitted' | 'refused' | 'unavailable'

export async function askAsGateway(redis: RedisNode, secret: string): Promise<GatewayAnswer> {
  try {
    const pointer = await findPointer(redis, digestSecret(secret))
    if (pointer === 'unverified') return 'unavailable'
    if (pointer === 'unknown') return 'refused'
    const { account, key } = pointer
    const seen = await confirmRecords(redis, account, key, { key: '', account: '' }, null)
    if (seen.outcome !== 'moved') return 'unavailable'
    if (seen.key === null || readKeyRecord(seen.key.json).status === 'revoked') return 'refused'
    if (seen.account === null) return 'unavailable'
    if (readAccountRecord(seen.account.json).status === 'suspended') return 'refused'
    const judged = { key: seen.key.version, account: seen.account.version }
    const answer = await confirmRecords(redis, account, key, judged, null)
    return answer.outcome === 'admitted' ? 'admitted' : 'unavailable'
  } catch {
    return 'unavailable'
  }
}

/**
 * Repeats the call until it gets the wanted answer.
 *
 * @returns all answers that came before it, and how long that took
 * @throws Error if the answer does not come in time
 */
export async function untilAnswered(
  redis: RedisNode,
  secret: string,
  wanted: GatewayAnswer,
  limitMs = 60_000
): Promise<{ before: Set<GatewayAnswer>; ms: number }> {
  const startedAt = performance.now()
  const before = new Set<GatewayAnswer>()
  for (;;) {
    const answer = await askAsGateway(redis, secret)
    const ms = performance.now() - startedAt
    if (answer === wanted) return { before, ms: Math.round(ms) }
    before.add(answer)
    if (ms > limitMs) throw new Error(`not ${wanted} within ${limitMs} ms, but ${[...before].join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
