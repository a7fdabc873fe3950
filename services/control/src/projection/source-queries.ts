import { deadPointerMs } from '@tollgate/state/projection/write-records.ts'
import { and, gt, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { freeBudgetColumn } from '../database/derived-columns.ts'
import { pageOrder, pageSize } from '../database/pages-by-change.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { deadRecordMs } from './source.ts'

/** Sum of an account's adjustments in a month, yyyymm. */
export interface AdjustedMonth {
  month: number
  nanos: number
}

/** Only the columns that gateways need: a replay may read many rows. */
export const accountColumns = {
  id: accounts.id,
  shard: accounts.shard,
  plan: accounts.plan,
  overridePlan: accounts.overridePlan,
  overridePlanEndsAt: accounts.overridePlanEndsAt,
  overrideLimits: accounts.overrideLimits,
  overrideLimitsEndAt: accounts.overrideLimitsEndAt,
  /**
   * Of the newest month with adjustments. Names are written out: Drizzle would leave out the table of `accounts.id`.
   */
  adjusted: sql<AdjustedMonth | null>`(
    select json_build_object(
      'month', to_char(adjustments.month at time zone 'UTC', 'YYYYMM')::int, 'nanos', sum(adjustments.nanos)
    )
    from adjustments where adjustments.account_id = accounts.id
    group by adjustments.month order by adjustments.month desc limit 1)`,
  freeBudget: freeBudgetColumn,
  status: accounts.status,
  ownCapNanos: accounts.ownCapNanos,
  budgets: accounts.budgets,
  suspensions: accounts.suspensions,
  version: accounts.version
}
export const keyColumns = {
  id: keys.id,
  shard: keys.accountShard,
  accountId: keys.accountId,
  digest: keys.digest,
  previousDigest: keys.previousDigest,
  previousUntil: keys.previousUntil,
  status: keys.status,
  paused: keys.paused,
  expiresAt: keys.expiresAt,
  models: keys.models,
  monthlyBudgetNanos: keys.monthlyBudgetNanos,
  budgets: keys.budgets,
  exhaustedModel: keys.exhaustedModel,
  createdBy: keys.createdBy,
  requestsPerMinute: keys.requestsPerMinute,
  tokensPerMinute: keys.tokensPerMinute,
  concurrentRequests: keys.concurrentRequests,
  addresses: keys.addresses,
  cutStreams: keys.cutStreams,
  label: keys.label,
  version: keys.version
}
export const secretColumns = {
  id: keys.id,
  shard: keys.secretShard,
  accountId: keys.accountId,
  digest: keys.digest,
  scope: keys.scope,
  diesAt: keys.revokedAt,
  version: keys.version
}
export const formerSecretColumns = {
  id: formerSecrets.digest,
  shard: formerSecrets.secretShard,
  keyId: formerSecrets.keyId,
  accountId: formerSecrets.accountId,
  digest: formerSecrets.digest,
  scope: formerSecrets.scope,
  diesAt: formerSecrets.diesAt,
  version: formerSecrets.version
}

export const keysByAccount = { shard: keys.accountShard, version: keys.version, id: keys.id }
export const keysBySecret = { shard: keys.secretShard, version: keys.version, id: keys.id }
export const formerBySecret = {
  shard: formerSecrets.secretShard,
  version: formerSecrets.version,
  id: formerSecrets.digest
}

const ago = (ms: number): SQL => sql`now() - ${`${ms} ms`}::interval`
const hasRecentRecord = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadRecordMs)))
const hasPointer = or(isNull(keys.revokedAt), gt(keys.revokedAt, ago(deadPointerMs)))
const hasFormerPointer = gt(formerSecrets.diesAt, ago(deadPointerMs))
const isDeleted = sql<boolean>`'deleted' = any (${accounts.suspensions})`

/*
 * Queries of one page of rows. `withDead` includes rows that died so long ago that a Redis without them need not learn
 * of them.
 */

export const selectAccounts = (orm: Orm) => (withDead: boolean) => (condition: SQL) =>
  orm
    .select(accountColumns)
    .from(accounts)
    .where(and(condition, withDead ? undefined : not(isDeleted)))
    .orderBy(...pageOrder(accounts))
    .limit(pageSize)
export const selectKeys = (orm: Orm) => (withDead: boolean) => (condition: SQL) =>
  orm
    .select(keyColumns)
    .from(keys)
    .where(and(condition, withDead ? undefined : hasRecentRecord))
    .orderBy(...pageOrder(keysByAccount))
    .limit(pageSize)
export const selectSecrets = (orm: Orm) => (withDead: boolean) => (condition: SQL) =>
  orm
    .select(secretColumns)
    .from(keys)
    .where(and(condition, withDead ? undefined : hasPointer))
    .orderBy(...pageOrder(keysBySecret))
    .limit(pageSize)
export const selectFormerSecrets = (orm: Orm) => (withDead: boolean) => (condition: SQL) =>
  orm
    .select(formerSecretColumns)
    .from(formerSecrets)
    .where(and(condition, withDead ? undefined : hasFormerPointer))
    .orderBy(...pageOrder(formerBySecret))
    .limit(pageSize)
