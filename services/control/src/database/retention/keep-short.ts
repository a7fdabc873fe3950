import type { FastifyBaseLogger } from 'fastify'
import { pruneAuditLog } from '../../audit/prune-audit-log.ts'
import type { Clock } from '../../clock.ts'
import { earliestTime } from '../../clocks/earliest-time.ts'
import type { Database } from '../connect.ts'
import { pruneCatalogs } from './prune-catalogs.ts'
import { pruneFormerSecrets } from './prune-former-secrets.ts'
import { pruneKeys } from './prune-keys.ts'

const dayMs = 86_400_000
const intervalMs = 3_600_000

/** How many days rows are kept. */
export type Retention = {
  readonly auditDays: number
  /** After their revocation. */
  readonly deadKeysDays: number
  /** After their grace. */
  readonly formerSecretsDays: number
  readonly catalogsDays: number
}

/**
 * Removes what is older than it is kept, now and every hour. What fails is only logged: the next hour does its work. Any
 * number of replicas may do this at once.
 *
 * @returns a function that ends it, resolved once nothing is under way
 */
export function keepTablesShort(
  { orm }: Database,
  retention: Retention,
  clock: Clock,
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
): () => Promise<void> {
  let isStopping = false
  let pass = Promise.resolve()
  const stopping = () => isStopping

  async function prune(what: string, days: number, remove: (before: Date) => Promise<number>): Promise<void> {
    if (isStopping) return
    try {
      const now = await earliestTime(orm, null, clock)
      const count = await remove(new Date(now.getTime() - days * dayMs))
      if (count > 0) log.info({ count }, `old ${what} removed`)
    } catch (err) {
      log.warn({ err }, `old ${what} could not be removed`)
    }
  }

  const start = () => {
    pass = pass.then(async () => {
      await prune('rows of the audit log', retention.auditDays, (before) => pruneAuditLog(orm, before, stopping))
      await prune('former secrets', retention.formerSecretsDays, (before) => pruneFormerSecrets(orm, before, stopping))
      await prune('revoked keys', retention.deadKeysDays, (before) => pruneKeys(orm, before, stopping))
      await prune('catalogs', retention.catalogsDays, (before) => pruneCatalogs(orm, before))
    })
  }
  start()
  const timer = setInterval(start, intervalMs)
  return () => {
    isStopping = true
    clearInterval(timer)
    return pass
  }
}
