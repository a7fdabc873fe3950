import type { Sql } from 'postgres'

/** Keys per account. */
export const keysInAccount = 10

/**
 * Fills the database with keys of unknown secrets, in accounts with spend this month. It uses plain SQL, since a million
 * single inserts would take long. All rows are one change, as in control.
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
