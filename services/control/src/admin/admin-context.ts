import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Heartbeat } from '@tollgate/state/processes/heartbeat.ts'
import type { Payments } from '../billing/payments.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import type { WebhookOptions } from '../webhooks/endpoint-routes.ts'

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
