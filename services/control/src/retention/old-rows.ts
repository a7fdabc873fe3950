import { type AccountShard, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { and, asc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { accounts } from '../database/schema/accounts.ts'
import { auditLog, operatorActs, pendingActs } from '../database/schema/audit.ts'
import { formerKeys, formerSecrets, keys } from '../database/schema/keys.ts'
import { mails } from '../database/schema/mails.ts'
import { events, refusals, toldBudgets } from '../database/schema/notices.ts'
import { catalogs, shards } from '../database/schema/projection.ts'
import { servedHours } from '../database/schema/served.ts'
import { webhookDeliveries } from '../database/schema/webhooks.ts'
import { lockChanges } from '../projection/record-change.ts'
import { dropOldExports } from '../requests/export/export-queue.ts'

/** For how many days rows are kept. */
export interface Retention {
  /** Of the customers' audit log, and of the operators' own log. */
  readonly auditDays: number
  /** Counted from the revocation. */
  readonly deadKeysDays: number
  /** Counted from the end of the grace. */
  readonly formerSecretsDays: number
  readonly catalogsDays: number
  /** Of the log of webhook deliveries. */
  readonly webhookDays: number
  readonly eventsDays: number
  /** Counted from when it was sent or given up. */
  readonly mailsDays: number
}

/**
 * Deletes what is older than a time. Any number of replicas may do this at once.
 *
 * @param isStopping checked between steps
 * @returns how many
 */
type Prune = (orm: Orm, before: Date, isStopping?: () => boolean) => Promise<number>

interface OldRows {
  readonly what: string
  /** How long they are kept: a setting, or days. */
  readonly kept: keyof Retention | number
  readonly prune: Prune
}

const rowsPerStep = 1000

/** Deletes rows whose time in this column is over. Each replica skips rows that another one deletes. */
function rowsBefore(time: PgColumn): Prune {
  return (orm, before, isStopping = () => false) =>
    inSteps(rowsPerStep, isStopping, async () => {
      const some = orm
        .select({ place: sql`ctid` })
        .from(time.table)
        .where(lt(time, before))
        .orderBy(time)
        .limit(rowsPerStep)
        .for('update', { skipLocked: true })
      const deleted = await orm.delete(time.table).where(sql`ctid = any(array(${some}))`).returning({ one: sql`1` })
      return deleted.length
    })
}

/** What the pruner deletes, in this order. */
export const oldRows = {
  auditLog: { what: 'rows of the audit log', kept: 'auditDays', prune: rowsBefore(auditLog.at) },
  operatorActs: { what: 'operators’ acts', kept: 'auditDays', prune: rowsBefore(operatorActs.at) },
  // Nobody can confirm them any more. The operators' log keeps who asked for them.
  pendingActs: { what: 'pending acts of operators', kept: 0, prune: rowsBefore(pendingActs.endsAt) },
  // From then on they are `invalid_api_key`.
  formerSecrets: { what: 'former secrets', kept: 'formerSecretsDays', prune: rowsBefore(formerSecrets.diesAt) },
  keys: { what: 'revoked keys', kept: 'deadKeysDays', prune: pruneKeys },
  // So long they wait for a collector.
  exports: { what: 'receipts that no collector took', kept: 7, prune: dropOldExports },
  deliveries: { what: 'webhook deliveries', kept: 'webhookDays', prune: rowsBefore(webhookDeliveries.createdAt) },
  events: { what: 'events', kept: 'eventsDays', prune: pruneEvents },
  refusals: { what: 'counts of refused requests', kept: 'eventsDays', prune: rowsBefore(refusals.hour) },
  // The status shows 90 days.
  servedHours: { what: 'hours of the status', kept: 100, prune: rowsBefore(servedHours.hour) },
  mails: { what: 'mails', kept: 'mailsDays', prune: rowsBefore(mails.endedAt) },
  mailboxes: { what: 'mailboxes of deleted accounts', kept: 0, prune: pruneMailboxes },
  catalogs: { what: 'contents of catalogs', kept: 'catalogsDays', prune: pruneCatalogs }
} as const satisfies Record<string, OldRows>

/** Keys per transaction. Other changes wait for it, some tens of milliseconds. */
const keysPerStep = 200

/**
 * Deletes keys that were revoked before a time, with their former secrets. Each shard stores the last change of its
 * deleted keys: an older state of Redis may still have them as live keys, and is then rewritten; see `compareShards`.
 */
function pruneKeys(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(keysPerStep, isStopping, () =>
    orm.transaction(async (tx) => {
      await lockChanges(tx)
      const dead = await tx
        .select({
          id: keys.id,
          shard: keys.accountShard,
          version: keys.version,
          accountId: keys.accountId,
          createdBy: keys.createdBy,
          // A playground makes many tokens that nobody uses.
          isUnusedToken: sql<boolean>`${keys.sessionId} is not null and ${keys.lastUsedAt} is null`
        })
        .from(keys)
        .where(and(eq(keys.status, 'revoked'), lt(keys.revokedAt, before)))
        .orderBy(asc(keys.revokedAt))
        .limit(keysPerStep)
      if (dead.length === 0) return 0
      const last = new Map<AccountShard, number>()
      for (const { shard, version } of dead) {
        const name = shard as AccountShard
        last.set(name, Math.max(last.get(name) ?? 0, version))
      }
      for (const [name, version] of last) {
        await tx
          .update(shards)
          .set({ purged: sql`greatest(${shards.purged}, ${version}::bigint)` })
          .where(eq(shards.name, name))
      }
      const ids = dead.map(({ id }) => id)
      const used = dead.flatMap(({ id, accountId, createdBy, isUnusedToken }) =>
        createdBy === null || isUnusedToken ? [] : [{ id, accountId, createdBy }]
      )
      if (used.length > 0) await tx.insert(formerKeys).values(used).onConflictDoNothing()
      await tx.delete(formerSecrets).where(inArray(formerSecrets.keyId, ids))
      await tx.delete(keys).where(inArray(keys.id, ids))
      return dead.length
    })
  )
}

/** Deletes events, and what was told of budgets in months before them. */
async function pruneEvents(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  // Two months earlier, so that a budget of the present month is never told again.
  const months = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth() - 2))
  await orm.delete(toldBudgets).where(lt(toldBudgets.month, months))
  return rowsBefore(events.at)(orm, before, isStopping)
}

/** Forgets the mailboxes of accounts that were deleted in a month before this one. */
async function pruneMailboxes(orm: Orm, now: Date): Promise<number> {
  const pruned = await orm
    .update(accounts)
    .set({ mailbox: null })
    .where(and(isNotNull(accounts.mailbox), lt(accounts.closedMonth, monthNumber(now))))
    .returning({ id: accounts.id })
  return pruned.length
}

/**
 * Deletes the content of catalogs, except that of the one in force. The rows stay with their digests, so that a
 * superseded file never counts as new.
 */
async function pruneCatalogs(orm: Orm, before: Date): Promise<number> {
  const newest = sql`(select max(${catalogs.version}) from ${catalogs})`
  const pruned = await orm
    .update(catalogs)
    .set({ json: null, yaml: null })
    .where(and(lt(catalogs.createdAt, before), lt(catalogs.version, newest), isNotNull(catalogs.json)))
    .returning({ version: catalogs.version })
  return pruned.length
}
