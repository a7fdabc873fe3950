import type { SecretShard, Shard } from '@tollgate/contracts/keyspace/names.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { deadPointerMs, type ProjectionWrite } from '@tollgate/contracts/redis/project.ts'
import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { pageSize, pagesOf, walkOrder } from '../database/pages-by-change.ts'
import { accounts, catalogs, formerSecrets, keys, projection, shards } from '../database/schema.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import type { ProjectionSource } from './source.ts'

/** What admission needs to know; a replay of many rows should not read more. */
const accountColumns = {
  id: accounts.id,
  shard: accounts.shard,
  plan: accounts.plan,
  status: accounts.status,
  ownCapNanos: accounts.ownCapNanos,
  version: accounts.version
}
const keyColumns = {
  id: keys.id,
  shard: keys.accountShard,
  accountId: keys.accountId,
  digest: keys.digest,
  previousDigest: keys.previousDigest,
  previousUntil: keys.previousUntil,
  status: keys.status,
  expiresAt: keys.expiresAt,
  models: keys.models,
  monthlyBudgetNanos: keys.monthlyBudgetNanos,
  requestsPerMinute: keys.requestsPerMinute,
  version: keys.version
}
const secretColumns = {
  id: keys.id,
  shard: keys.secretShard,
  accountId: keys.accountId,
  digest: keys.digest,
  scope: keys.scope,
  diesAt: keys.revokedAt,
  version: keys.version
}
const formerSecretColumns = {
  id: formerSecrets.digest,
  shard: formerSecrets.secretShard,
  keyId: formerSecrets.keyId,
  accountId: formerSecrets.accountId,
  digest: formerSecrets.digest,
  scope: formerSecrets.scope,
  diesAt: formerSecrets.diesAt,
  version: formerSecrets.version
}

const keysByAccount = { shard: keys.accountShard, version: keys.version, id: keys.id }
const keysBySecret = { shard: keys.secretShard, version: keys.version, id: keys.id }
const formerBySecret = { shard: formerSecrets.secretShard, version: formerSecrets.version, id: formerSecrets.digest }

/** In the statement that reads a row, so that row and epoch are of the same instant. */
const presentEpoch = sql<number>`coalesce((select max(${projection.epoch}) from ${projection}), 0)`.mapWith(Number)
const longAgo = sql`now() - ${`${deadPointerMs} ms`}::interval`
const isRecent = or(isNull(keys.revokedAt), gt(keys.revokedAt, longAgo))
const diedRecently = gt(formerSecrets.diesAt, longAgo)

/** Reads the projection's source from the tables of `schema.ts`. */
export function createPostgresSource(orm: Orm): ProjectionSource {
  const accountsWhere = (condition: SQL) =>
    orm
      .select(accountColumns)
      .from(accounts)
      .where(condition)
      .orderBy(...walkOrder(accounts))
      .limit(pageSize)
  const keysWhere = (withDead: boolean) => (condition: SQL) =>
    orm
      .select(keyColumns)
      .from(keys)
      .where(and(condition, withDead ? undefined : isRecent))
      .orderBy(...walkOrder(keysByAccount))
      .limit(pageSize)
  const secretsWhere = (condition: SQL) =>
    orm
      .select(secretColumns)
      .from(keys)
      .where(and(condition, isRecent))
      .orderBy(...walkOrder(keysBySecret))
      .limit(pageSize)
  const formerSecretsWhere = (condition: SQL) =>
    orm
      .select(formerSecretColumns)
      .from(formerSecrets)
      .where(and(condition, diedRecently))
      .orderBy(...walkOrder(formerBySecret))
      .limit(pageSize)

  return {
    ledger: createPostgresLedger(orm),

    async readTruth() {
      const [changed, [present]] = await Promise.all([
        orm.select().from(shards),
        queryRows<{ epoch: number; catalog: number; nowMs: string }>(
          orm,
          sql`
            select coalesce((select max(epoch) from ${projection}), 0) as epoch,
              coalesce((select max(version) from ${catalogs}), 0) as catalog,
              floor(extract(epoch from clock_timestamp()) * 1000)::text as "nowMs"`
        )
      ])
      return {
        ...present!,
        nowMs: Number(present!.nowMs),
        changes: new Map(changed.map(({ name, version }) => [name as Shard, version]))
      }
    },

    async *writesAfter(shards, change, epoch, withDead) {
      const [ofSecrets, ofAccounts] = [shards.filter(isSecretShard), shards.filter((shard) => !isSecretShard(shard))]
      for await (const rows of pagesOf(keysBySecret, ofSecrets, change, secretsWhere)) {
        yield rows.map((row) => pointerWrite(row.id, row))
      }
      for await (const rows of pagesOf(formerBySecret, ofSecrets, change, formerSecretsWhere)) {
        yield rows.map((row) => pointerWrite(row.keyId, row))
      }
      // An account comes before its keys: a key without its account is not a state to judge on.
      for await (const rows of pagesOf(accounts, ofAccounts, change, accountsWhere)) {
        yield rows.map((row) => accountWrite(row, epoch))
      }
      for await (const rows of pagesOf(keysByAccount, ofAccounts, change, keysWhere(withDead))) {
        yield rows.map((row) => keyWrite(row, epoch))
      }
    },

    async writesOfAccount(account) {
      const rows = await orm
        .select({ row: accounts, epoch: presentEpoch })
        .from(accounts)
        .where(eq(accounts.id, account))
      return rows.map(({ row, epoch }) => accountWrite(row, epoch))
    },

    async writesOfKey(account, key) {
      const [rows, former] = await Promise.all([
        orm
          .select({ row: keys, epoch: presentEpoch })
          .from(keys)
          .where(and(eq(keys.id, key), eq(keys.accountId, account))),
        orm
          .select(formerSecretColumns)
          .from(formerSecrets)
          .where(and(eq(formerSecrets.keyId, key), eq(formerSecrets.accountId, account), diedRecently))
      ])
      return rows.flatMap(({ row, epoch }) => [
        keyWrite(row, epoch),
        pointerWrite(key, { ...row, diesAt: row.revokedAt }),
        ...former.map((secret) => pointerWrite(key, secret))
      ])
    },

    async raiseEpoch(seen, other) {
      const epoch = Math.max(seen, other) + 1
      await orm
        .insert(projection)
        .values({ epoch })
        .onConflictDoUpdate({ target: projection.one, set: { epoch }, setWhere: eq(projection.epoch, seen) })
    },

    async readCatalog() {
      const [row] = await orm.select().from(catalogs).orderBy(desc(catalogs.version)).limit(1)
      if (row === undefined) throw new Error('no catalog has been stored')
      return { number: row.version, json: row.json }
    }
  }
}

const isSecretShard = (shard: Shard): shard is SecretShard => shard.startsWith('k')

type AccountRow = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns>
type KeyRow = Pick<typeof keys.$inferSelect, Exclude<keyof typeof keyColumns, 'shard'>>
type SecretRow = Pick<typeof formerSecrets.$inferSelect, 'accountId' | 'digest' | 'scope'> & { diesAt: Date | null }

function accountWrite(row: AccountRow, epoch: number): ProjectionWrite {
  return {
    kind: 'account',
    account: row.id,
    version: versionOf(epoch, row.version),
    record: { plan: row.plan, status: row.status, ownCapNanos: row.ownCapNanos }
  }
}

function keyWrite(row: KeyRow, epoch: number): ProjectionWrite {
  return {
    kind: 'key',
    account: row.accountId,
    key: row.id,
    version: versionOf(epoch, row.version),
    record: {
      status: row.status,
      digest: row.digest,
      previous:
        row.previousDigest === null || row.previousUntil === null
          ? null
          : { digest: row.previousDigest, until: row.previousUntil.getTime() },
      expiresAt: row.expiresAt?.getTime() ?? null,
      models: row.models,
      monthlyBudgetNanos: row.monthlyBudgetNanos,
      requestsPerMinute: row.requestsPerMinute
    }
  }
}

function pointerWrite(key: string, { accountId, digest, scope, diesAt }: SecretRow): ProjectionWrite {
  return {
    kind: 'pointer',
    digest,
    pointer: { key, account: accountId, scope },
    diedAt: diesAt?.getTime() ?? null
  }
}
