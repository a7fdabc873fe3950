import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Heartbeat } from '@tollgate/state/processes/heartbeat.ts'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Payments } from '../billing/payments.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import { callerOf } from '../callers/session.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import type { Limits } from '../http/limits.ts'
import { isUuid } from '../http/query.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import type { WebhookOptions } from '../webhooks/webhook-area.ts'

/** The parts of control that the endpoints of operators need. */
export interface AdminOptions {
  database: Database
  redis: RedisLink
  identity: Identity
  payments: Payments
  catalog: LiveCatalog
  catalogPublisher: CatalogPublisher
  projector: Pick<Projector, 'accountChanged' | 'keyRevoked'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  clock: Clock
  heartbeat: Pick<Heartbeat, 'beat'>
  limits: Limits
  webhooks: WebhookOptions
  /** Acts about more than this need a second operator; nanodollars. Null: none does. */
  confirmAboveNanos: number | null
  /** Whether control has a mail server. */
  isMailing: boolean
}

/** What all endpoints of `/api/admin` share. */
export interface AdminContext extends AdminOptions {
  /** Limits reads of the whole ledger, so that revocations always find a free connection. */
  limitReads: <Result>(read: () => Promise<Result>) => Promise<Result>
}

/**
 * The account that the path names.
 *
 * @param id any text of the caller
 * @throws ServiceError `not_found`
 */
export async function findAccount(orm: Orm, id: string): Promise<typeof accounts.$inferSelect> {
  // PostgreSQL refuses other forms. Shards follow from the lower-case form.
  const own = id.toLowerCase()
  const [row] = isUuid(own) ? await orm.select().from(accounts).where(eq(accounts.id, own)) : []
  if (row === undefined) throw new ServiceError('not_found', { message: 'There is no account with this id.' })
  return row
}

/**
 * Keeps operators from giving themselves money or rights, and from ending their own work by accident.
 *
 * @throws ServiceError `forbidden` if the account is the caller's own, or that of the caller's team
 */
export function assertNotOwnAccount(request: FastifyRequest, accountId: string): void {
  const { user, accountId: actingFor } = callerOf(request)
  if (accountId !== user.id && accountId !== actingFor) return
  throw new ServiceError('forbidden', {
    message: 'This is your own account. Ask another operator, or use the account page of the dashboard.'
  })
}
