import { setTimeout as delay } from 'node:timers/promises'
import { digestSecret, displayPrefix, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { WindowBudget } from '@tollgate/contracts/records/records.ts'
import { accountShard, type Shard, secretShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import type { Sql } from 'postgres'

/** Keys per account. */
export const keysInAccount = 10

export interface SeededKey {
  id: string
  account: string
  secret: string
}
export interface SeededAccount {
  id: string
  keys: SeededKey[]
}

/** The lock in control's `projection/record-change.ts`. */
const changeLock = 7_012_846_612
const keysPerStatement = 2000

/**
 * Adds accounts with keys to the database, as one change, as control does. It uses few statements, since single inserts
 * would take long. Control then projects the change to Redis.
 *
 * @param ownCapNanos cap of each account; null for the plan's cap only
 * @param keyBudgetNanos monthly budget of each key; null for none
 * @param budgets with a window, of the account and of each key
 * @param limits of each key: tokens a minute and concurrent requests
 */
export async function seedAccounts(
  sql: Sql,
  {
    count,
    keysEach,
    ownCapNanos = null,
    keyBudgetNanos = null,
    budgets = {},
    limits = { tokens: null, running: null },
    plan = 'free'
  }: {
    count: number
    keysEach: number
    ownCapNanos?: number | null
    keyBudgetNanos?: number | null
    budgets?: { account?: readonly WindowBudget[]; key?: readonly WindowBudget[] }
    limits?: { tokens: number | null; running: number | null }
    plan?: string
  }
): Promise<SeededAccount[]> {
  const accounts = Array.from({ length: count }, (): SeededAccount => {
    const id = crypto.randomUUID()
    const keys = Array.from({ length: keysEach }, () => ({
      id: `key_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`,
      account: id,
      secret: generateSecret('inference')
    }))
    return { id, keys }
  })
  const accountRows = accounts.map(({ id }) => ({ id, shard: accountShard(id) }))
  const keyRows = accounts
    .flatMap(({ keys }) => keys)
    .map(({ id, account, secret }) => {
      const digest = digestSecret(secret)
      const shards = { account_shard: accountShard(account), secret_shard: secretShard(digest) }
      return { id, account_id: account, prefix: displayPrefix(secret), digest, ...shards }
    })
  const touched = new Set<Shard>([
    ...accountRows.map(({ shard }) => shard),
    ...keyRows.map(({ secret_shard }) => secret_shard)
  ])
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${changeLock})`
    const [next] = await tx<[{ change: string }]>`select nextval('changes')::text as change`
    const { change } = next
    await tx`
      insert into shards (name, version) select name, ${change}::bigint from unnest(${[...touched]}::text[]) as name
      on conflict (name) do update set version = excluded.version`
    await tx`
      insert into accounts (id, owner_id, plan, own_cap_nanos, budgets, shard, version, created_at)
      select id, id, ${plan}, ${ownCapNanos}::bigint, ${JSON.stringify(budgets.account ?? [])}::text::jsonb, shard,
        ${change}::bigint, now()
      from json_to_recordset(${JSON.stringify(accountRows)}::text::json) as made (id uuid, shard text)`
    for (let from = 0; from < keyRows.length; from += keysPerStatement) {
      await tx`
        insert into keys (id, account_id, label, scope, prefix, digest, status, account_shard, secret_shard, version, created_at,
          monthly_budget_nanos, budgets, tokens_per_minute, concurrent_requests)
        select id, account_id, 'seeded', 'inference', prefix, digest, 'active', account_shard, secret_shard,
          ${change}::bigint, now(), ${keyBudgetNanos}::bigint, ${JSON.stringify(budgets.key ?? [])}::text::jsonb,
          ${limits.tokens}::integer, ${limits.running}::integer
        from json_to_recordset(${JSON.stringify(keyRows.slice(from, from + keysPerStatement))}::text::json) as made
          (id text, account_id uuid, prefix text, digest text, account_shard text, secret_shard text)`
    }
  })
  return accounts
}

/** Waits until control has verified that Redis has every change now in the database. @throws Error after `timeoutMs` */
export async function untilProjected(sql: Sql, link: RedisLink, timeoutMs: number): Promise<void> {
  const rows = await sql<Array<{ name: string; version: string }>>`select name, version::text from shards`
  const versions = new Map(rows.map(({ name, version }) => [name, Number(version)]))
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { markers, failures } = await readShards(link)
    const isThere = [...markers].every(
      ([shard, { run, currentRunId, version }]) => run === currentRunId && (version ?? -1) >= (versions.get(shard) ?? 0)
    )
    if (failures.length === 0 && isThere) return
    if (performance.now() > deadline)
      throw new Error(`control did not write all changes to Redis in ${timeoutMs / 1000} s`)
    await delay(20)
  }
}

/**
 * Fills the database with keys of unknown secrets, in accounts with spend this month. It uses plain SQL, since a
 * million single inserts would take long. All rows are one change, as in control.
 */
export async function seedMany(sql: Sql, count: number): Promise<void> {
  const accounts = Math.ceil(count / keysInAccount)
  await sql.begin(async (tx) => {
    // The rows are consistent by construction, and a million foreign-key checks would take longer than the inserts.
    await tx`set local session_replication_role = replica`
    await tx`
      insert into shards (name, version)
      select kind || lpad(to_hex(number), 2, '0'), 0 from generate_series(0, 255) as number, unnest(array['a', 'k']) as kind
      on conflict do nothing`
    const [next] = await tx<[{ change: string }]>`select nextval('changes')::text as change`
    const { change } = next
    await tx`
      insert into accounts (id, owner_id, plan, shard, version, created_at)
      select id, id, 'free', 'a' || left(encode(sha256(id::text::bytea), 'hex'), 2), ${change}::bigint, now()
      from (select md5('many ' || number)::uuid as id from generate_series(0, ${accounts}::int - 1) as number) as made`
    await tx`
      insert into keys (id, account_id, label, scope, prefix, digest, status, account_shard, secret_shard, version, created_at)
      select 'key_' || left(digest, 24), account, 'one of many', 'inference', left(digest, 8), digest, 'active',
        'a' || left(encode(sha256(account::text::bytea), 'hex'), 2), 'k' || left(digest, 2), ${change}::bigint, now()
      from (
        select md5('many ' || number % ${accounts}::int)::uuid as account,
          encode(sha256(('many ' || number)::bytea), 'hex') as digest
        from generate_series(0, ${count}::int - 1) as number
      ) as made`
    await tx`
      insert into ledger (
        account_id, hour, run, key_id, model, requests, errors, prompt_tokens, cached_tokens, completion_tokens, cost_nanos,
        revision
      )
      select id, date_trunc('hour', now()), 'seeded', 'key_seeded', 'steady', 1, 0, 1, 0, 1, 2000, 1
      from (select md5('many ' || number)::uuid as id from generate_series(0, ${accounts}::int - 1) as number) as made`
    await tx`update shards set version = ${change}::bigint`
  })
  await sql`vacuum analyze`
}
