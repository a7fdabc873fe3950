import { hash } from 'node:crypto'
import type { Sql } from 'postgres'

/** The seeded log ends now, and has so many days. */
export const seededDays = 30

/** Of one request in so many, the code is `upstream_error`. */
const failedEvery = 201

/** A model that one request a day asks for, in the large account. */
export const rareModel = 'rare-model'

/** Hours of each key and model in the seeded ledger, until now; before them, days, as control folds old hours. */
const hours = 30 * 24

const days = 335

/** Keys per account, except the large account. */
const keysPerAccount = 10
/** The share of all keys in the large account. */
const largeShare = 0.1

/** The users of the measured requests: one of an account with ten keys, and one of the large account. */
export const callers = {
  small: { session: 'a'.repeat(43), name: 'small' },
  large: { session: 'b'.repeat(43), name: 'large' }
} as const

/**
 * Fills control's database up to this number of keys, with accounts, users and a session per user. Analyzes the tables.
 * Existing rows stay. Plain SQL is fast; control and Redis do not learn of the rows, which the measured requests do not
 * need.
 */
export async function seedDatabase(sql: Sql, keys: number): Promise<void> {
  const large = Math.round(keys * largeShare)
  const accounts = (keys - large) / keysPerAccount
  await sql.begin(async (tx) => {
    // The rows are consistent by construction, and a million foreign-key checks would take longer than the inserts.
    await tx`set local session_replication_role = replica`
    await tx`
      create temp table people on commit drop as
      select n, md5('user ' || n)::uuid as id from generate_series(0, ${accounts}::int) as n
      where not exists (select from users where users.id = md5('user ' || n)::uuid)`
    await tx`
      insert into users (id, email, proved_email, name, synced_at, checked_at)
      select id, n || '@example.com', n || '@example.com', 'User ' || n, now() + interval '1 day', now() + interval '1 day' from people`
    await tx`
      insert into accounts (id, owner_id, plan, shard, version, created_at)
      select id, id, 'enterprise', 'a' || substr(encode(sha256(id::text::bytea), 'hex'), 1, 2), 0, now() from people`
    await tx`
      insert into sessions (token_hash, user_id, created_at, idle_ends_at, ends_at)
      select encode(sha256(('session ' || n)::bytea), 'hex'), id, now(), now() + interval '7 days', now() + interval '30 days'
      from people`
    // Account 0 is the large one; the keys of the others follow each other.
    for (const [first, count, account] of [
      ['large', large, tx`0`],
      ['small', keys - large, tx`1 + n / ${keysPerAccount}::int`]
    ] as const) {
      await tx`
        insert into keys (id, account_id, created_by, label, scope, prefix, digest, status, account_shard, secret_shard,
          version, created_at)
        select 'key_' || substr(md5(name), 1, 24), owner, owner, 'Key ' || n, 'inference', substr(digest, 1, 8), digest,
          'active', 'a' || substr(encode(sha256(owner::text::bytea), 'hex'), 1, 2), 'k' || substr(digest, 1, 2), 0,
          now() - n * interval '1 second'
        from (
          select n, ${first} || ' key ' || n as name, md5('user ' || (${account}))::uuid as owner,
            encode(sha256((${first} || ' key ' || n)::bytea), 'hex') as digest
          from generate_series(0, ${count}::int - 1) as n
        ) as made
        where not exists (select from keys where keys.id = 'key_' || substr(md5(name), 1, 24))`
    }
    for (const [person, { session }] of [callers.large, callers.small].entries()) {
      await tx`
        insert into sessions (token_hash, user_id, created_at, idle_ends_at, ends_at)
        values (${hash('sha256', session)}, md5('user ' || ${person}::int)::uuid, now(), now() + interval '7 days',
          now() + interval '30 days')
        on conflict do nothing`
    }
  })
  await sql`vacuum analyze`
}

/**
 * Fills the ledger with a year of every key: each key of the large account with three models in every hour, other keys
 * with one. A quarter of the keys gets one of 20 values of the tag `tenant`, as a reseller gives them.
 */
export async function seedLedger(sql: Sql): Promise<void> {
  await sql`
    update keys set metadata = metadata || jsonb_build_object('tenant', 'tenant ' || abs(hashtext(id)) % 20)
    where abs(hashtext(id)) % 4 = 0 and not metadata ? 'tenant'`
  await sql`
    select add_ledger_month(month) from generate_series(now() - interval '13 months', now(), interval '1 month') as month`
  for (const [first, step, last, run] of [
    [0, '1 hour', hours - 1, 'bench'],
    [1, '24 hours', days, 'day']
  ] as const) {
    await sql`
      insert into ledger (account_id, hour, run, key_id, model, requests, prompt_tokens, completion_tokens, cost_nanos, revision)
      select account_id, start, ${run}, keys.id, model, 1 + n % 90, 1000 + n % 50000, 300 + n % 9000, 1000 + (n * 7919) % 90000000, 1
      from keys,
        unnest(case when account_id = md5('user 0')::uuid then array['gpt-5-mini', 'gpt-5', 'claude-sonnet-4-5'] else array['gpt-5-mini'] end) as model,
        generate_series(${first}::int, ${last}::int) as n,
        lateral (select case when ${run} = 'day'
          then date_trunc('day', now(), 'UTC') - interval '30 days' - n * ${step}::interval
          else date_trunc('hour', now(), 'UTC') - n * ${step}::interval end as start) as time
      on conflict do nothing`
  }
  await sql`vacuum analyze ledger`
  await sql`vacuum analyze keys`
}

/**
 * Fills the request log of the last 30 days with rows, half of them of the large account. The rows come from a table of
 * examples, so the server can make some 100,000 a second. Each day is a table of its own that gets its indexes before
 * it joins the log: otherwise this would take several times as long.
 *
 * @param connections one for each core: they make different days at the same time
 */
export async function seedRequests(
  connections: readonly Sql[],
  rows: number,
  progress: (line: string) => void
): Promise<void> {
  const [first] = connections
  await makeExamples(first!)
  const perDay = Math.ceil(rows / seededDays)
  const days = Array.from({ length: seededDays }, (_, day) => day)
  await Promise.all(
    connections.map(async (sql) => {
      for (let day = days.shift(); day !== undefined; day = days.shift()) {
        const part = await seedDay(sql, day, perDay)
        // Autovacuum is off. It would have been at the past days, but not yet at the newest rows of today.
        await sql.unsafe(day === 0 ? `analyze ${part}` : `vacuum analyze ${part}`)
        progress(`request log: ${seededDays - days.length} of ${seededDays} days`)
      }
    })
  )
}

/** A thousand examples: odd ones belong to the large account with its 100 keys, the others to 90 small accounts. */
async function makeExamples(sql: Sql): Promise<void> {
  await sql`drop table if exists bench_examples`
  await sql`
    create table bench_examples as
    select m, case when m % 2 = 1 then md5('user 0')::uuid else md5('user ' || (1 + (m / 2) % 90))::uuid end as account,
      'key_' || substr(md5(case when m % 2 = 1 then 'large key ' || (m / 2) % 100 else 'small key ' || ((m / 2) % 90) * 10 end), 1, 24) as key,
      (array['gpt-5-mini', 'gpt-5', 'claude-sonnet-4-5'])[1 + m % 3] as model,
      (array['openai', 'anthropic'])[1 + m % 2] as upstream
    from generate_series(0, 999) as m`
  // Three keys of the large account are a tenant's.
  await sql`
    update keys set metadata = '{"tenant":"bench"}' where id in (
      select key from bench_examples where m in (1, 3, 5)
    )`
}

async function seedDay(sql: Sql, ago: number, rows: number): Promise<string> {
  return sql.begin(async (tx) => {
    const [{ day, part }] = await tx<[{ day: Date; part: string }]>`
      select day, 'requests_' || to_char(day at time zone 'UTC', 'YYYY_MM_DD') as part
      from (select date_trunc('day', now(), 'UTC') - ${ago}::int * interval '24 hours' as day) as days`
    await tx`select drop_request_day(${day})`
    await tx`create table ${tx(part)} (like requests including defaults including constraints)`
    const spread = ago === 0 ? tx`extract(epoch from now() - ${day}::timestamptz)` : tx`86400`
    await tx`
      insert into ${tx(part)} (at, id, account_id, cost_nanos, held_nanos, rates_id, prompt_tokens, cached_tokens, completion_tokens,
        reasoning_tokens, held_tokens, granted_tokens, first_byte_ms, duration_ms, count, rank, attempts, status, is_stream,
        is_estimated, client_gone, key_id, endpoint, model, upstream, code)
      select ${day}::timestamptz + floor(n * ${spread}::float8 / ${rows}::int) * interval '1 second', gen_random_uuid(), account,
        case when isfailed then 0 else 1000 + (n * 7919) % 90000000 end, 100000000, 1, 300 + n % 5000, n % 200, 100 + n % 900, 0,
        6000, 1000, 200 + n % 700, 300 + (n * 31) % 30000, 1, 2, 1, case when isfailed then 502 else 200 end, n % 3 = 0,
        false, false, key, '/v1/chat/completions', case when israre then ${rareModel} else model end, upstream,
        case when isfailed then 'upstream_error' end
      from (
        select n, n % ${failedEvery}::int = 7 as isfailed, n = 5 as israre
        from generate_series(0::bigint, ${rows}::bigint - 1) as n
      ) as made join bench_examples on m = n % 1000`
    await tx`alter table ${tx(part)} add primary key (id, at)`
    const index = (on: ReturnType<typeof tx>) => tx`create index on ${tx(part)} ${on}`
    await index(tx`(account_id, at)`)
    await index(tx`(key_id, at)`)
    await index(tx`(account_id, at) where code is not null or status >= 400`)
    await index(tx`(key_id, at) where code is not null or status >= 400`)
    await index(tx`(account_id) where address is not null`)
    await index(tx`using brin (at)`)
    const next = new Date(day.getTime() + 86_400_000)
    await tx.unsafe(
      `alter table requests attach partition ${part} for values from ('${day.toISOString()}') to ('${next.toISOString()}')`
    )
    return part
  })
}
