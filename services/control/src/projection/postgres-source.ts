import type { AccountRecord, FreeBudget } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { SecretShard, Shard } from '@tollgate/state/keyspace/names.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { seedBudgets } from '../budgets/count-budgets.ts'
import { databaseNowMs } from '../clocks/clock.ts'
import { type Orm, queryRows } from '../database/connect.ts'
import { isPausedByTeam, statusInForce } from '../database/derived-columns.ts'
import { pagesOf } from '../database/pages-by-change.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { catalogs, projection, shards } from '../database/schema/projection.ts'
import { createPostgresLedger } from '../usage/postgres-ledger.ts'
import { endKeys } from './end-keys.ts'
import type { ProjectionSource } from './source.ts'
import {
  type AdjustedMonth,
  accountColumns,
  formerBySecret,
  formerSecretColumns,
  type keyColumns,
  keysByAccount,
  keysBySecret,
  selectAccounts,
  selectFormerSecrets,
  selectKeys,
  selectSecrets
} from './source-queries.ts'

/** Read in the same statement as a row, so that row and epoch are of the same moment. */
const presentEpoch = sql<number>`coalesce((select max(${projection.epoch}) from ${projection}), 0)`.mapWith(Number)

/** Reads the projection's source from the tables of `database/schema`. */
export function createPostgresSource(orm: Orm): ProjectionSource {
  const accountsWhere = selectAccounts(orm)
  const keysWhere = selectKeys(orm)
  const secretsWhere = selectSecrets(orm)
  const formerSecretsWhere = selectFormerSecrets(orm)
  return {
    ledger: createPostgresLedger(orm),

    seedBudgets: (redis, shards, signal) => seedBudgets({ orm, redis }, shards, signal),

    readTruth: createTruthReader(orm),

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

    writesOfKey: (account, key) => writesOfKey(orm, account, key),

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

type Truth = Awaited<ReturnType<ProjectionSource['readTruth']>>
type ShardChanges = Pick<Truth, 'changes' | 'purged'>

/**
 * Reads the state that is compared. The changes of all shards are many rows, and mostly the same as a second ago: they
 * are read only if the sum of their hashes is another one.
 */
function createTruthReader(orm: Orm): () => Promise<Truth> {
  let last: { readonly sum: string; readonly shards: ShardChanges } | null = null
  return async () => {
    const [present] = await queryRows<{ epoch: number; catalog: number; nowMs: number; sum: string }>(
      orm,
      sql`
        select coalesce((select max(epoch) from ${projection}), 0) as epoch,
          coalesce((select max(version) from ${catalogs}), 0) as catalog,
          ${databaseNowMs} as "nowMs",
          (select coalesce(sum(hashtextextended(name || ' ' || version || ' ' || purged, 0)), 0)::text from ${shards})
            as sum`
    )
    const { sum, ...rest } = present!
    // Rows that change in between have another sum, so the next call reads them again.
    if (last?.sum !== sum) last = { sum, shards: await readShardChanges(orm) }
    return { ...rest, ...last.shards }
  }
}

async function readShardChanges(orm: Orm): Promise<ShardChanges> {
  const rows = await orm.select().from(shards)
  return {
    changes: new Map(rows.map(({ name, version }) => [name as Shard, version])),
    purged: new Map(rows.map(({ name, purged }) => [name as Shard, purged]))
  }
}

async function writesOfKey(orm: Orm, account: string, key: string): Promise<ProjectionWrite[]> {
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
}

const isSecretShard = (shard: Shard): shard is SecretShard => shard.startsWith('k')

type AccountRow = Pick<
  typeof accounts.$inferSelect,
  Exclude<keyof typeof accountColumns, 'adjusted' | 'freeBudget'>
> & {
  adjusted: AdjustedMonth | null
  freeBudget: FreeBudget | null
}
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
      ownCapNanos: row.ownCapNanos,
      ...(row.budgets.length > 0 && { budgets: row.budgets }),
      ...overrideOf(row),
      ...(row.adjusted !== null && { adjusted: row.adjusted }),
      ...(row.freeBudget !== null && { freeBudget: row.freeBudget })
    },
    ...(row.suspensions.includes('deleted') && { isDeleted: true })
  }
}

function overrideOf(row: AccountRow): Pick<AccountRecord, 'override'> {
  const { overridePlan: id, overrideLimits } = row
  if (id === null && overrideLimits === null) return {}
  const { keyQuota: _ofControl, ...limits } = overrideLimits ?? {}
  return {
    override: {
      ...(id !== null && { plan: { id, until: row.overridePlanEndsAt?.getTime() ?? null } }),
      ...(overrideLimits !== null && { limits: { ...limits, until: row.overrideLimitsEndAt?.getTime() ?? null } })
    }
  }
}

function keyWrite(row: KeyRow, epoch: number): ProjectionWrite {
  return {
    kind: 'key',
    account: row.accountId,
    key: row.id,
    version: versionOf(epoch, row.version),
    record: {
      status: statusInForce(row),
      digest: row.digest,
      previous:
        row.previousDigest === null || row.previousUntil === null
          ? null
          : { digest: row.previousDigest, until: row.previousUntil.getTime() },
      expiresAt: row.expiresAt?.getTime() ?? null,
      models: row.models,
      monthlyBudgetNanos: row.monthlyBudgetNanos,
      requestsPerMinute: row.requestsPerMinute,
      ...(row.tokensPerMinute !== null && { tokensPerMinute: row.tokensPerMinute }),
      ...(row.concurrentRequests !== null && { concurrentRequests: row.concurrentRequests }),
      ...(row.budgets.length > 0 && { budgets: row.budgets }),
      ...(row.exhaustedModel !== null && { onExhausted: row.exhaustedModel }),
      ...(row.createdBy !== null && { member: row.createdBy }),
      ...(row.addresses !== null && { addresses: row.addresses }),
      ...(row.cutStreams && { cutStreams: true as const }),
      label: row.label
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
