import type { SecretShard, Shard } from '@tollgate/state/keyspace/names.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { databaseNowMs } from '../clocks/clock.ts'
import { type Orm, queryRows } from '../database/connect.ts'
import { pagesOf } from '../database/pages-by-change.ts'
import { accounts } from '../database/schema/accounts.ts'
import { catalogs } from '../database/schema/catalog.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { projection, shards } from '../database/schema/projection.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { endKeys } from './end-keys.ts'
import type { ProjectionSource } from './source.ts'
import {
  accountColumns,
  formerBySecret,
  formerSecretColumns,
  keysByAccount,
  keysBySecret,
  selectAccounts,
  selectFormerSecrets,
  selectKeys,
  selectSecrets
} from './source-queries.ts'
import { accountWrite, keyWrite, pointerWrite } from './source-writes.ts'

/** Read in the same statement as a row, so that row and epoch are of the same moment. */
const presentEpoch = sql<number>`coalesce((select max(${projection.epoch}) from ${projection}), 0)`.mapWith(Number)

/** Reads the projection's source from the tables of `schema.ts`. */
export function createPostgresSource(orm: Orm): ProjectionSource {
  const accountsWhere = selectAccounts(orm)
  const keysWhere = selectKeys(orm)
  const secretsWhere = selectSecrets(orm)
  const formerSecretsWhere = selectFormerSecrets(orm)
  return {
    ledger: createPostgresLedger(orm),

    async readTruth() {
      const [changed, [present]] = await Promise.all([
        orm.select().from(shards),
        queryRows<{ epoch: number; catalog: number; nowMs: number }>(
          orm,
          sql`
            select coalesce((select max(epoch) from ${projection}), 0) as epoch,
              coalesce((select max(version) from ${catalogs}), 0) as catalog,
              ${databaseNowMs} as "nowMs"`
        )
      ])
      return {
        ...present!,
        changes: new Map(changed.map(({ name, version }) => [name as Shard, version])),
        purged: new Map(changed.map(({ name, purged }) => [name as Shard, purged]))
      }
    },

    async *writesAfter(shards, change, epoch, withDead) {
      const [ofSecrets, ofAccounts] = [shards.filter(isSecretShard), shards.filter((shard) => !isSecretShard(shard))]
      for await (const rows of pagesOf(keysBySecret, ofSecrets, change, secretsWhere(withDead))) {
        yield rows.map((row) => pointerWrite(row.id, row))
      }
      for await (const rows of pagesOf(formerBySecret, ofSecrets, change, formerSecretsWhere(withDead))) {
        yield rows.map((row) => pointerWrite(row.keyId, row))
      }
      // Accounts come before their keys: admission needs the account of every key.
      for await (const rows of pagesOf(accounts, ofAccounts, change, accountsWhere(withDead))) {
        yield rows.map((row) => accountWrite(row, epoch))
      }
      for await (const rows of pagesOf(keysByAccount, ofAccounts, change, keysWhere(withDead))) {
        yield rows.map((row) => keyWrite(row, epoch))
      }
    },

    async writesOfAccount(account) {
      const rows = await orm
        .select({ row: accountColumns, epoch: presentEpoch })
        .from(accounts)
        .where(eq(accounts.id, account))
      return rows.map(({ row, epoch }) => accountWrite(row, epoch))
    },

    async writesOfKey(account, key) {
      // Only the former secret of the last change: earlier changes wrote the pointers of the others.
      const rows = await orm
        .select({ row: keys, former: formerSecretColumns, epoch: presentEpoch })
        .from(keys)
        .leftJoin(formerSecrets, and(eq(formerSecrets.keyId, keys.id), eq(formerSecrets.version, keys.version)))
        .where(and(eq(keys.id, key), eq(keys.accountId, account)))
      return rows.flatMap(({ row, former, epoch }) => [
        keyWrite(row, epoch),
        pointerWrite(key, { ...row, diesAt: row.revokedAt }),
        ...(former === null ? [] : [pointerWrite(key, former)])
      ])
    },

    endKeys: (ended) => endKeys(orm, ended),

    async raiseEpoch(seen, other) {
      const epoch = Math.max(seen, other) + 1
      await orm
        .insert(projection)
        .values({ epoch })
        .onConflictDoUpdate({ target: projection.one, set: { epoch }, setWhere: eq(projection.epoch, seen) })
    },

    async readCatalog() {
      const [row] = await orm.select().from(catalogs).orderBy(desc(catalogs.version)).limit(1)
      if (row?.json == null) throw new Error('no catalog is stored')
      return { number: row.version, json: row.json }
    }
  }
}

const isSecretShard = (shard: Shard): shard is SecretShard => shard.startsWith('k')
