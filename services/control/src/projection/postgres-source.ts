import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { SecretShard, Shard } from '@tollgate/state/keyspace/names.ts'
import { deadPointerMs, type ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import { and, desc, eq, gt, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import { isPausedByTeam } from '../accounts/suspend-account.ts'
import { databaseNowMs } from '../clocks/database-time.ts'
import { type Orm, queryRows } from '../database/connect.ts'
import { pageSize, pagesOf, walkOrder } from '../database/pages-by-change.ts'
import { accounts, catalogs, formerSecrets, keys, projection, shards } from '../database/schema.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { deadRecordMs, type ProjectionSource } from './source.ts'

/** What admission needs to know; a replay of many rows should not read more. */
const accountColumns = {
  id: accounts.id,
  shard: accounts.shard,
  plan: accounts.plan,
  status: accounts.status,
  ownCapNanos: accounts.ownCapNanos,
  suspensions: accounts.suspensions,
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
const ago = (ms: number): SQL => sql`now() - ${`${ms} ms`}::interval`
const hasRecentRecord = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadRecordMs)))
const hasPointer = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadPointerMs)))
const hasFormerPointer = gt(formerSecrets.diesAt, ago(deadPointerMs))
const isDeleted = sql<boolean>`'deleted' = any (${accounts.suspensions})`

/** Reads the projection's source from the tables of `schema.ts`. */
export function createPostgresSource(orm: Orm): ProjectionSource {
  const accountsWhere = (withDead: boolean) => (condition: SQL) =>
    orm
      .select(accountColumns)
      .from(accounts)
      .where(and(condition, withDead ? undefined : not(isDeleted)))
      .orderBy(...walkOrder(accounts))
      .limit(pageSize)
  const keysWhere = (withDead: boolean) => (condition: SQL) =>
    orm
      .select(keyColumns)
      .from(keys)
      .where(and(condition, withDead ? undefined : hasRecentRecord))
      .orderBy(...walkOrder(keysByAccount))
      .limit(pageSize)
  const secretsWhere = (withDead: boolean) => (condition: SQL) =>
    orm
      .select(secretColumns)
      .from(keys)
      .where(and(condition, withDead ? undefined : hasPointer))
      .orderBy(...walkOrder(keysBySecret))
      .limit(pageSize)
  const formerSecretsWhere = (withDead: boolean) => (condition: SQL) =>
    orm
      .select(formerSecretColumns)
      .from(formerSecrets)
      .where(and(condition, withDead ? undefined : hasFormerPointer))
      .orderBy(...walkOrder(formerBySecret))
      .limit(pageSize)

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
      // An account comes before its keys: a key without its account is not a state to judge on.
      for await (const rows of pagesOf(accounts, ofAccounts, change, accountsWhere(withDead))) {
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
      // Of former secrets only the one that the last change replaced: the pointers of the others were written with theirs.
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
    record: {
      plan: row.plan,
      status: row.status,
      ...(isPausedByTeam(row.suspensions) && { isOwnerInTeam: true as const }),
      ownCapNanos: row.ownCapNanos
    },
    ...(row.suspensions.includes('deleted') && { isDeleted: true })
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
