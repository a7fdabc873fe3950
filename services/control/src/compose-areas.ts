import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger } from 'fastify'
import { createOverrideEnder } from './accounts/override-account.ts'
import type { WakeablePlanWriter } from './accounts/plan-intention.ts'
import type { ProcessState } from './admin/system.ts'
import { createConcurrencyLimit } from './background/limit-concurrency.ts'
import type { RunningParts } from './background/running-parts.ts'
import type { Payments } from './billing/payments.ts'
import { createCustomerRefresher } from './billing/refresh-customer.ts'
import { createDueCustomersLoop } from './billing/refresh-due-customers.ts'
import { createStripePayments } from './billing/stripe/stripe-payments.ts'
import { createInvoiceSweeper } from './billing/sweep-invoices.ts'
import { createSubscriptionSweeper } from './billing/sweep-subscriptions.ts'
import { createBudgetCounter } from './budgets/count-budgets.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { Clock, SharedTime } from './clocks/clock.ts'
import { createClockWatch } from './clocks/clock-watch.ts'
import type { ControlConfig } from './config.ts'
import type { Database } from './database/connect.ts'
import type { Identity } from './identity/identity.ts'
import { createSupabaseIdentity } from './identity/supabase-identity.ts'
import { createUseCopier } from './keys/copy-last-uses.ts'
import { createMailSender } from './mail/mail-sender.ts'
import { createMailer } from './mail/mailer.ts'
import type { ControlEvents } from './metrics/control-metrics.ts'
import { groupFailovers, noteFailovers } from './notices/failovers.ts'
import { createNoticeSweeper } from './notices/notice-sweeper.ts'
import { type CheckDelays, noteCopiedUsage } from './notices/spend-checks.ts'
import { createSpendWatcher } from './notices/spend-watcher.ts'
import { createTokenEnder } from './playground/end-tokens.ts'
import type { Projector } from './projection/projector.ts'
import { judgeAnonAnswer, judgeServiceRoleAnswer, judgeStripeAnswer } from './provider-health/check-providers.ts'
import type { OnProviderCall, Provider, ProviderHealth } from './provider-health/provider-health.ts'
import { endByServed } from './refusals/end-refusals.ts'
import { noteRefusals } from './refusals/refusals.ts'
import { queueReceipts } from './requests/export/export-queue.ts'
import { createReceiptCopier } from './requests/receipt-copier.ts'
import type { Mailboxes } from './signup/mailbox.ts'
import { createServedCopier } from './status/served-copier.ts'
import { maintainLedger } from './usage/fold-ledger.ts'
import { createFreeSpendLimit } from './usage/free-spend-limit.ts'
import type { Ledger } from './usage/ledger.ts'
import { createPostgresLedger } from './usage/postgres-ledger.ts'
import { createUsageCopier } from './usage/usage-copier.ts'
import { createSweeper } from './users/sweep-users.ts'

/** Customers that are read at the payment provider at once: few enough for its rate limit of 25 calls a second. */
const maxRefreshes = 8
/** More events at once are refused. The provider repeats them, and their customers are due meanwhile. */
const maxWaitingRefreshes = 100

/** The settings of both providers. Each may have its own time limit. */
export interface ProvidersConfig {
  readonly identity: ControlConfig['identity'] & { timeoutMs?: number }
  readonly payments: ControlConfig['payments'] & { timeoutMs?: number }
}

type OwnPorts = 'host' | 'port' | 'admin'
type Process = OwnPorts | 'databaseUrl' | 'databasePoolSize' | 'isMigrating' | 'redisUrl' | 'traces' | 'logExport'

/** The configuration without the addresses that the process itself opens. */
export type ComposedConfig = Omit<ControlConfig, Process | keyof ProvidersConfig> & ProvidersConfig

/** What every area of control is made from. Each area adds its loops to `parts`, in the order of their start. */
export interface Base {
  readonly config: ComposedConfig
  readonly log: FastifyBaseLogger
  readonly database: Database
  readonly redis: RedisLink
  readonly clock: Clock
  readonly sharedTime: SharedTime
  readonly events: ControlEvents
  readonly state: ProcessState
  readonly parts: RunningParts
}

/** Creates the loops that copy from Redis to PostgreSQL, and the watch of the clocks. */
export function composeCopiers(
  { config, database, redis, clock, log, events, state, parts }: Base,
  { checkDelays, isExporting }: { checkDelays: CheckDelays; isExporting: boolean }
) {
  const ledger = noteCopiedUsage(createPostgresLedger(database.orm), database.orm, checkDelays, clock)
  const maintain = (signal: AbortSignal) => maintainLedger({ database, redis, clock, retention: config.ledger }, signal)
  const onCopied = (until: number) => state.usageCopied(until)
  parts.runLoop('usage', createUsageCopier({ ledger, redis, log, maintain, onCopied }))
  parts.runLoop(
    'receipts',
    createReceiptCopier({
      database,
      redis,
      clock,
      log,
      days: config.requestLogDays,
      async onStored(tx, receipts) {
        if (isExporting) await queueReceipts(tx, receipts)
        await noteFailovers(tx, groupFailovers(receipts))
        await noteRefusals(tx, receipts)
        await endByServed(tx, receipts)
      },
      onCopied(copied, beganAt) {
        if (copied.rest === 'none') state.receiptsCopied(beganAt)
        events.receipts(copied)
      }
    })
  )
  parts.runLoop('budget_counts', createBudgetCounter({ database, redis, log }))
  parts.runLoop('last_uses', createUseCopier({ database, redis, log }))
  parts.runLoop('status_history', createServedCopier({ orm: database.orm, redis, clock, log }))
  const { rightClock } = parts.runLoop(
    'clocks',
    createClockWatch({ database, redis, clock, log, onCompared: events.clocksCompared })
  )
  return { ledger, rightClock }
}

/** Creates the loops that watch spend, write notices and send mails. */
export function composeNotices(
  { config, database, redis, clock, sharedTime, log, events, parts }: Base,
  { catalog, ledger }: { catalog: LiveCatalog; ledger: Ledger }
) {
  const { smtp, brand, operatorMail, publicUrl } = config
  const mailer = smtp === null ? null : parts.keep(createMailer({ smtp, log, onCall: measureCalls(events, 'smtp') }))
  const mailSender = parts.runLoop(
    'mails',
    createMailSender({
      orm: database.orm,
      mailer,
      brand,
      publicUrl,
      operatorMail,
      sharedTime,
      log,
      onMail: events.mail
    })
  )
  const spendWatcher = parts.runLoop(
    'spend_checks',
    createSpendWatcher({ orm: database.orm, redis, catalog, clock, log })
  )
  const { freeSpendNanos: limitNanos } = config
  const freeSpend = parts.runLoop(
    'free_spend',
    createFreeSpendLimit({ orm: database.orm, redis, ledger, catalog, limitNanos, log })
  )
  const noticeSweeper = parts.runLoop('notices', createNoticeSweeper({ orm: database.orm, redis, clock, catalog, log }))
  return { isMailing: mailer !== null, mailSender, spendWatcher, freeSpend, noticeSweeper }
}

/** Creates the clients of the identity provider and of the payment provider. Every call is judged and measured. */
export function composeProviders(
  config: ProvidersConfig & Pick<ControlConfig, 'publicUrl' | 'captcha'>,
  { events, health, log }: { events: ControlEvents; health: ProviderHealth; log: FastifyBaseLogger }
): { identity: Identity; payments: Payments } {
  const identity = createSupabaseIdentity({
    ...config.identity,
    publicUrl: config.publicUrl,
    hasCaptcha: config.captcha !== null,
    log,
    onCall: measureCalls(events, 'supabase'),
    onAnswer(apiKey, path, status) {
      const judge = apiKey === config.identity.serviceRoleKey ? judgeServiceRoleAnswer : judgeAnonAnswer
      judge(path, status, health.report)
    }
  })
  const payments = createStripePayments({
    ...config.payments,
    onCall: measureCalls(events, 'stripe'),
    onAnswer: (status) => judgeStripeAnswer(status, health.report)
  })
  return { identity, payments }
}

const measureCalls =
  (events: ControlEvents, provider: Provider): OnProviderCall =>
  (outcome, ms) =>
    events.providerCall(provider, outcome, ms)

/** What the parts about users and their payments have in common. */
export type UserParts = Pick<Base, 'database' | 'redis' | 'clock' | 'sharedTime' | 'log'> & {
  readonly identity: Identity
  readonly catalog: LiveCatalog
  readonly mailboxes: Mailboxes
  readonly projector: Projector
}

/** Creates the parts that keep customers, plans and limits as the payment provider and the operators set them. */
export function composeBilling(
  { config, database, redis, sharedTime, clock, log, parts }: Base,
  users: UserParts,
  {
    payments,
    planWriter,
    sweep
  }: {
    payments: Payments
    planWriter: WakeablePlanWriter
    sweep: { pageSize: number; pauseMs: number } | undefined
  }
) {
  const { catalog, projector } = users
  const concurrency = createConcurrencyLimit(maxRefreshes, {
    refusal: 'payments_unavailable',
    maxWaiting: maxWaitingRefreshes
  })
  const customerRefresher = createCustomerRefresher({ ...users, payments, planWriter, concurrency })
  const sweeper = parts.runLoop('user_sweep', createSweeper({ ...users, customerRefresher, ...sweep }))
  const ofSweeps = {
    database,
    payments,
    sharedTime,
    log,
    intervalMs: config.reconcileIntervalMs,
    ...(sweep !== undefined && { pauseMs: sweep.pauseMs })
  }
  const subscriptionSweeper = parts.runLoop('subscription_sweep', createSubscriptionSweeper({ ...ofSweeps, catalog }))
  const invoiceSweeper = parts.runLoop('invoice_sweep', createInvoiceSweeper(ofSweeps))
  const overrideEnder = parts.runLoop('overrides', createOverrideEnder({ database, redis, projector, clock, log }))
  const tokenEnder = parts.runLoop('playground_tokens', createTokenEnder({ database, projector, log }))
  const dueCustomers = parts.runLoop(
    'due_customers',
    createDueCustomersLoop({ database, customerRefresher, sharedTime, log })
  )
  return { customerRefresher, sweeper, subscriptionSweeper, invoiceSweeper, overrideEnder, tokenEnder, dueCustomers }
}
