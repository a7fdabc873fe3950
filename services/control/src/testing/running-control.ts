import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RunningIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import type { BackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { Heartbeat } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyInstance } from 'fastify'
import type { createOverrideEnder } from '../accounts/override-account.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { DueCustomersLoop } from '../billing/refresh-due-customers.ts'
import type { InvoiceSweeper } from '../billing/sweep-invoices.ts'
import type { SubscriptionSweeper } from '../billing/sweep-subscriptions.ts'
import type { CatalogFollower } from '../catalog/follow-catalog-file.ts'
import type { SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { createTokenEnder } from '../playground/end-tokens.ts'
import type { Projector } from '../projection/projector.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import type { FreeSpendLimit } from '../usage/free-spend-limit.ts'
import type { PlanWriter } from '../users/plan-writer.ts'
import type { DueUsers } from '../users/refresh-user.ts'
import type { Sweeper } from '../users/sweep-users.ts'
import type { DeliveryWorker } from '../webhooks/delivery-worker.ts'
import type { Call } from './call-control.ts'
import type { DocumentCheck } from './check-against-document.ts'
import type { Users } from './sign-up.ts'

/** A control of a test, with everything that it needs. */
export interface RunningControl extends Users {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** The address of its admin port. */
  adminUrl: string
  app: FastifyInstance
  database: Database
  redis: RedisNode
  projector: Projector
  /** Its loop does not run: tests call it. */
  sweeper: Sweeper
  /** Its loop does not run: tests call it. */
  planWriter: PlanWriter
  /** Its loop does not run. */
  dueUsers: DueUsers
  customerRefresher: CustomerRefresher
  /** Its loop does not run. */
  dueCustomers: DueCustomersLoop
  /** Its loop does not run. */
  subscriptionSweeper: SubscriptionSweeper
  /** Its loop does not run: tests call it. */
  overrideEnder: ReturnType<typeof createOverrideEnder>
  /** Its loop does not run: tests call it. */
  tokenEnder: ReturnType<typeof createTokenEnder>
  /** It does not run: tests call it. */
  heartbeat: Heartbeat
  /** Its loop does not run. */
  invoiceSweeper: InvoiceSweeper
  /** Its loop does not run: tests call it. */
  webhookWorker: DeliveryWorker
  /** Their loops do not run: tests call them. */
  mailSender: BackgroundLoop
  spendWatcher: BackgroundLoop
  freeSpend: FreeSpendLimit
  noticeSweeper: BackgroundLoop
  mailboxes: Mailboxes
  /** The one it was started with. */
  catalog: Catalog
  catalogFile: CatalogFollower
  identity: RunningIdentity
  /** Compares all answers so far with the OpenAPI document. */
  document: DocumentCheck
  /** All log lines, as JSON. */
  logged: string[]
  /** Moves control's clock forward: that of sessions, not that of Redis or of timers. */
  passTime(ms: number): void
  /** The time of control's clock. */
  now(): Date
  /** PostgreSQL's, moved as control's clock is. */
  readonly sharedTime: SharedTime
  call: Call
  /** @throws Error if an answer differed from the OpenAPI document */
  close(): Promise<void>
}
