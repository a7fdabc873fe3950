import { digestSecret } from '@tollgate/contracts/keys/secret.ts'
import { readAccountRecord, readKeyRecord } from '@tollgate/contracts/records/records.ts'
import { confirmRecords } from '@tollgate/state/admission/confirm.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { sql } from 'drizzle-orm'
import type { Orm } from '../../database/connect.ts'
import { recordChange } from '../record-change.ts'

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

/**
 * Adds many accounts with keys, in one change and with few statements. Secrets are `secret <number>` for `from` + 1 to
 * `from` + `count`. The ids of accounts and keys follow from the number.
 */
export async function seedKeys(orm: Orm, options: { count: number; accounts: number; from?: number }): Promise<void> {
  const { count, accounts, from = 0 } = options
  await orm.transaction(async (tx) => {
    const version = await recordChange(tx, allShards)
    await tx.execute(sql`
      insert into accounts (id, owner_id, plan, shard, version, created_at)
      select id, id, 'free', 'a' || left(encode(sha256(id::text::bytea), 'hex'), 2), ${version}, now()
      from (select md5('account ' || number)::uuid as id from generate_series(0, ${accounts}::int - 1) as number) as made
      on conflict do nothing`)
    await tx.execute(sql`
      insert into keys (id, account_id, label, scope, prefix, digest, status, account_shard, secret_shard, version, created_at)
      select 'key_' || lpad(number::text, 24, '0'), account, 'key', 'inference', 'prefix00', digest, 'active',
        'a' || left(encode(sha256(account::text::bytea), 'hex'), 2), 'k' || left(digest, 2), ${version}, now()
      from (
        select number, md5('account ' || number % ${accounts}::int)::uuid as account,
          encode(sha256(('secret ' || number)::bytea), 'hex') as digest
        from generate_series(${from}::int + 1, ${from}::int + ${count}::int) as number
      ) as made`)
  })
}
