import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import { inArray, lt } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { earliestTime } from '../clocks/earliest-time.ts'
import type { Database, Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { formerSecrets } from '../database/schema/keys.ts'
import { dropOldExports } from '../requests/export/export-queue.ts'
import { pruneCatalogs } from './prune-catalogs.ts'
import { pruneDeliveries } from './prune-deliveries.ts'
import { pruneEvents, pruneMails, pruneRefusals } from './prune-events.ts'
import { pruneKeys } from './prune-keys.ts'
import { pruneAuditLog, pruneOperatorActs } from './prune-logs.ts'
import { pruneMailboxes } from './prune-mailboxes.ts'
import { prunePendingActs } from './prune-pending-acts.ts'

const rowsPerStep = 1000

/** Deletes former secrets that ended before a time. From then on they are `invalid_api_key`. @returns how many */
function pruneFormerSecrets(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ digest: formerSecrets.digest })
      .from(formerSecrets)
      .where(lt(formerSecrets.diesAt, before))
      .orderBy(formerSecrets.diesAt)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const deleted = await orm.delete(formerSecrets).where(inArray(formerSecrets.digest, some)).returning({
      digest: formerSecrets.digest
    })
    return deleted.length
  })
}

const dayMs = 86_400_000
const intervalMs = 3_600_000
/** Receipts wait so long for a collector. */
const exportDays = 7

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
 * Deletes rows older than their retention, at the start and every hour. If a table fails, it is logged and tried again an
 * hour later. Any number of replicas may run this.
 *
 * @param onExpiredExports called with the number of receipts that no collector took within a week
 */
export function createTablePruner(
  { orm }: Database,
  retention: Retention,
  clock: Clock,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  onExpiredExports: (receipts: number) => void
): BackgroundLoop {
  const messages = {
    failing: 'old rows cannot be deleted; the next try is in an hour',
    recovered: 'old rows are deleted again'
  }
  const loop = createBackgroundLoop({ round, intervalMs, log, messages })
  const stopping = () => loop.signal.aborted

  const tables: ReadonlyArray<[what: string, days: number, remove: (before: Date) => Promise<number>]> = [
    ['rows of the audit log', retention.auditDays, (before) => pruneAuditLog(orm, before, stopping)],
    ['operators’ acts', retention.auditDays, (before) => pruneOperatorActs(orm, before, stopping)],
    ['pending acts of operators', 0, (now) => prunePendingActs(orm, now)],
    ['former secrets', retention.formerSecretsDays, (before) => pruneFormerSecrets(orm, before, stopping)],
    ['revoked keys', retention.deadKeysDays, (before) => pruneKeys(orm, before, stopping)],
    [
      'receipts that no collector took',
      exportDays,
      async (before) => {
        const receipts = await dropOldExports(orm, before, stopping)
        if (receipts > 0) onExpiredExports(receipts)
        return receipts
      }
    ],
    ['webhook deliveries', retention.webhookDays, (before) => pruneDeliveries(orm, before, stopping)],
    ['events', retention.eventsDays, (before) => pruneEvents(orm, before, stopping)],
    ['counts of refused requests', retention.eventsDays, (before) => pruneRefusals(orm, before)],
    ['mails', retention.mailsDays, (before) => pruneMails(orm, before, stopping)],
    ['mailboxes of deleted accounts', 0, (now) => pruneMailboxes(orm, now)],
    ['contents of catalogs', retention.catalogsDays, (before) => pruneCatalogs(orm, before)]
  ]

  /** @throws the first failure, after all other tables were pruned */
  async function round(): Promise<void> {
    const failures: Error[] = []
    for (const [what, days, remove] of tables) {
      if (stopping()) return
      try {
        const now = await earliestTime(orm, null, clock)
        const count = await remove(new Date(now.getTime() - days * dayMs))
        if (count > 0) log.info({ count }, `old ${what} deleted`)
      } catch (cause) {
        failures.push(new Error(`old ${what} could not be deleted`, { cause }))
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  return loop
}
