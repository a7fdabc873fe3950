import { allShards } from '@tollgate/state/keyspace/names.ts'
import { sql } from 'drizzle-orm'
import type { Orm } from '../../database/connect.ts'
import { recordChange } from '../record-change.ts'

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
