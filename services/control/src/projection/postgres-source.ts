import type { AccountShard, SecretShard, Shard } from '@tollgate/contracts/keyspace/names.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import { deadPointerMs, type ProjectionWrite } from '@tollgate/contracts/redis/project.ts'
import { and, asc, desc, eq, gt, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { pageSize, pagesOf } from '../database/pages-by-change.ts'
import { accounts, catalogs, formerSecrets, keys, projection, shards } from '../database/schema.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { deadRecordMs, type ProjectionSource } from './source.ts'

/** What admission needs to know; a replay of many rows should not read more. */
const accountColumns = {
  id: accounts.id,
  plan: accounts.plan,
  status: accounts.status,
  ownCapNanos: accounts.ownCapNanos,
  suspensions: accounts.suspensions,
  version: accounts.version
}
const keyColumns = {
  id: keys.id,
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
  accountId: keys.accountId,
  digest: keys.digest,
  scope: keys.scope,
  diesAt: keys.revokedAt,
  version: keys.version
}
const formerSecretColumns = {
  id: formerSecrets.digest,
  keyId: formerSecrets.keyId,
  accountId: formerSecrets.accountId,
  digest: formerSecrets.digest,
  scope: formerSecrets.scope,
  diesAt: formerSecrets.diesAt,
  version: formerSecrets.version
}

/** In the statement that reads a row, so that row and epoch are of the same instant. */
const presentEpoch = sql<number>`coalesce((select max(${projection.epoch}) from ${projection}), 0)`.mapWith(Number)
const ago = (ms: number): SQL => sql`now() - ${`${ms} ms`}::interval`
const hasRecentRecord = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadRecordMs)))
const hasPointer = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadPointerMs)))
const hasFormerPointer = gt(formerSecrets.diesAt, ago(deadPointerMs))
const isDeleted = sql<boolean>`'deleted' = any (${accounts.suspensions})`

/** Reads the projection's source from the tables of `schema.ts`. */
export function createPostgresSource(orm: Orm): ProjectionSource {
  const accountsAfter = (shard: AccountShard, withDead: boolean) => (after: SQL) =>
    orm
      .select(accountColumns)
      .from(accounts)
      .where(and(eq(accounts.shard, shard), after, withDead ? undefined : not(isDeleted)))
      .orderBy(asc(accounts.version), asc(accounts.id))
      .limit(pageSize)
  const keysAfter = (shard: AccountShard, withDead: boolean) => (after: SQL) =>
    orm
      .select(keyColumns)
      .from(keys)
      .where(and(eq(keys.accountShard, shard), after, withDead ? undefined : hasRecentRecord))
      .orderBy(asc(keys.version), asc(keys.id))
      .limit(pageSize)
  const secretsAfter = (shard: SecretShard, withDead: boolean) => (after: SQL) =>
    orm
      .select(secretColumns)
      .from(keys)
      .where(and(eq(keys.secretShard, shard), after, withDead ? undefined : hasPointer))
      .orderBy(asc(keys.version), asc(keys.id))
      .limit(pageSize)
  const formerSecretsAfter = (shard: SecretShard, withDead: boolean) => (after: SQL) =>
    orm
      .select(formerSecretColumns)
      .from(formerSecrets)
      .where(and(eq(formerSecrets.secretShard, shard), after, withDead ? undefined : hasFormerPointer))
      .orderBy(asc(formerSecrets.version), asc(formerSecrets.digest))
      .limit(pageSize)

  return {
    ledger: createPostgresLedger(orm),

    async readTruth() {
      const [changed, [present]] = await Promise.all([
        orm.select().from(shards),
        queryRows<{ epoch: number; catalog: number }>(
          orm,
          sql`
            select coalesce((select max(epoch) from ${projection}), 0) as epoch,
              coalesce((select max(version) from ${catalogs}), 0) as catalog`
        )
      ])
      return {
        ...present!,
        changes: new Map(changed.map(({ name, version }) => [name as Shard, version])),
        purged: new Map(changed.map(({ name, purged }) => [name as Shard, purged]))
      }
    },

    async *writesAfter(shard, change, epoch, withDead) {
      if (isSecretShard(shard)) {
        for await (const rows of pagesOf(keys, change, secretsAfter(shard, withDead))) {
          yield rows.map((row) => pointerWrite(row.id, row))
        }
        const former = { version: formerSecrets.version, id: formerSecrets.digest }
        for await (const rows of pagesOf(former, change, formerSecretsAfter(shard, withDead))) {
          yield rows.map((row) => pointerWrite(row.keyId, row))
        }
        return
      }
      // An account comes before its keys: a key without its account is not a state to judge on.
      for await (const rows of pagesOf(accounts, change, accountsAfter(shard, withDead))) {
        yield rows.map((row) => accountWrite(row, epoch))
      }
      for await (const rows of pagesOf(keys, change, keysAfter(shard, withDead))) {
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
type KeyRow = Pick<typeof keys.$inferSelect, keyof typeof keyColumns>
type SecretRow = Pick<typeof formerSecrets.$inferSelect, 'accountId' | 'digest' | 'scope'> & { diesAt: Date | null }

function accountWrite(row: AccountRow, epoch: number): ProjectionWrite {
  return {
    kind: 'account',
    account: row.id,
    version: versionOf(epoch, row.version),
    record: { plan: row.plan, status: row.status, ownCapNanos: row.ownCapNanos },
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
