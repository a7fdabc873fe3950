import { hash } from 'node:crypto'
import type { Sql } from 'postgres'

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
 * Existing rows stay. Plain SQL is fast; control and Redis do not learn of the rows, which the measured requests do not need.
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
