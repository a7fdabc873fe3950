import { sampleRequests } from '@tollgate/service/log/log-lines.ts'
import type { LogSender } from '@tollgate/service/log-export/log-sender.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { createHeartbeat, liveUpstreams as readLiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createOverrideEnder } from './accounts/override-account.ts'
import { ProcessState } from './admin/system.ts'
import { buildApp, type ControlDependencies } from './app.ts'
import { defaultMinResponseTimes, type MinResponseTimes } from './auth/auth-context.ts'
import { createConcurrencyLimit } from './background/limit-concurrency.ts'
import { RunningParts } from './background/running-parts.ts'
import { createCustomerRefresher } from './billing/refresh-customer.ts'
import { createDueCustomersLoop } from './billing/refresh-due-customers.ts'
import { createInvoiceSweeper } from './billing/sweep-invoices.ts'
import { createSubscriptionSweeper } from './billing/sweep-subscriptions.ts'
import { createCatalogParts } from './catalog/catalog-parts.ts'
import type { LiveUpstreams } from './catalog/catalog-publisher.ts'
import { type Clock, databaseClock, type SharedTime, systemClock } from './clocks/clock.ts'
import { createClockWatch } from './clocks/clock-watch.ts'
import { composeProviders, measureCalls, type ProvidersConfig } from './compose-providers.ts'
import type { ControlConfig } from './config.ts'
import type { Database } from './database/connect.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import { createUseCopier } from './keys/copy-last-uses.ts'
import { createMailSender } from './mail/mail-sender.ts'
import { createMailer } from './mail/mailer.ts'
import type { ControlMetrics } from './metrics/control-metrics.ts'
import { groupFailovers, noteFailovers } from './notices/failovers.ts'
import { createNoticeSweeper } from './notices/notice-sweeper.ts'
import { type CheckDelays, defaultCheckDelays, noteCopiedUsage } from './notices/spend-checks.ts'
import { createSpendWatcher } from './notices/spend-watcher.ts'
import { createTokenEnder } from './playground/end-tokens.ts'
import { createProjector } from './projection/projector.ts'
import { createProviderChecks } from './provider-health/check-providers.ts'
import { createProviderHealth } from './provider-health/provider-health.ts'
import { endByServed } from './refusals/end-refusals.ts'
import { noteRefusals } from './refusals/refusals.ts'
import { createExportLoop, type ExportOutcome } from './requests/export/export-loop.ts'
import { exportLagSeconds, queueReceipts } from './requests/export/export-queue.ts'
import { createReceiptCopier } from './requests/receipt-copier.ts'
import { createTablePruner } from './retention/table-pruner.ts'
import { createMailboxes } from './signup/mailbox.ts'
import { maintainLedger } from './usage/fold-ledger.ts'
import { createFreeSpendLimit } from './usage/free-spend-limit.ts'
import { createPostgresLedger } from './usage/postgres-ledger.ts'
import { createUsageCopier } from './usage/usage-copier.ts'
import { createPlanWriter } from './users/plan-writer.ts'
import { createDueUsers, createUserRefresher } from './users/refresh-user.ts'
import { createSweeper } from './users/sweep-users.ts'
import { createFindAddresses } from './webhooks/addresses.ts'
import { createDeliveryWorker } from './webhooks/delivery-worker.ts'
import { createSendMessage } from './webhooks/send-message.ts'

/** Customers that are read at the payment provider at once: few enough for its rate limit of 25 calls a second. */
const maxRefreshes = 8
/** More events at once are refused. The provider repeats them, and their customers are due meanwhile. */
const maxWaitingRefreshes = 100

type OwnPorts = 'host' | 'port' | 'admin'
type Process = OwnPorts | 'databaseUrl' | 'databasePoolSize' | 'isMigrating' | 'redisUrl' | 'traces' | 'logExport'

/** The configuration without the addresses that the process itself opens. */
export type ComposedConfig = Omit<ControlConfig, Process | keyof ProvidersConfig> & ProvidersConfig

export interface ComposeOptions {
  config: ComposedConfig
  log: FastifyBaseLogger
  /** Migrated. The caller closes it, after control. */
  database: Database
  /** The caller closes it, after control. */
  redis: RedisLink
  /** Closed with control. Default: requests are not traced. */
  tracing?: Tracing | null
  /** Closed with control. Default: receipts of requests are not exported. */
  logSender?: LogSender | null
  metrics: ControlMetrics
  clock?: Clock
  /** Default: PostgreSQL's. */
  sharedTime?: SharedTime
  minResponseTimes?: MinResponseTimes
  limits?: Limits
  /** Milliseconds after which an unanswered request gets 503. */
  requestTimeoutMs?: number
  /** Milliseconds within which requests must arrive. */
  arrival?: ControlDependencies['arrival']
  /** See `ProjectorOptions`. */
  acknowledgeTimeoutMs?: number
  /** Default: those of the gateways that report to Redis. */
  liveUpstreams?: LiveUpstreams
  /** Milliseconds between two checks of the catalog file, and for which a changed file must stay unchanged. */
  catalogFile?: { intervalMs: number; settleMs: number }
  /** From a change of spend until its check. */
  checkDelays?: CheckDelays
  /** Size of the pages of both sweeps, and milliseconds between them. */
  sweep?: { pageSize: number; pauseMs: number }
}

export type Control = ReturnType<typeof composeControl>

/**
 * Creates the parts of control and connects them. Nothing runs until `start` is called, and nothing listens. Before, a
 * catalog must be in force: call `catalogFile.open`. Disposing stops the parts in reverse order: first the app, then
 * the loops that its requests need.
 */
export function composeControl(options: ComposeOptions) {
  const {
    config,
    log,
    database,
    redis,
    metrics,
    tracing = null,
    logSender = null,
    clock = systemClock,
    sharedTime = databaseClock,
    sweep
  } = options
  const { liveUpstreams = () => readLiveUpstreams(redis) } = options
  const { events } = metrics
  const parts = new RunningParts()
  // First, so that it closes last, after everything that makes spans.
  if (tracing !== null) parts.keep({ stop: () => tracing.close() })
  const state = new ProcessState()
  const onFailingHeartbeat = (err: Error) => log.warn({ err }, 'cannot report to Redis that control runs')
  const heartbeat = parts.run(
    createHeartbeat(redis, () => ({ ...state.facts(), problems: health.problems() }), onFailingHeartbeat)
  )

  const { acknowledgeTimeoutMs } = options
  const projector = parts.runLoop(
    'projection',
    createProjector({
      database,
      redis,
      log,
      onRevoked: events.revoked,
      ...(acknowledgeTimeoutMs !== undefined && { acknowledgeTimeoutMs })
    })
  )
  const { catalog, catalogPublisher, catalogFile } = createCatalogParts({
    database,
    redis,
    projector,
    clock,
    log,
    config,
    liveUpstreams,
    catalogFile: options.catalogFile
  })
  parts.runLoop('catalog', catalog)
  parts.runLoop('catalog_file', catalogFile)
  const checkDelays = options.checkDelays ?? defaultCheckDelays
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
        if (logSender !== null) await queueReceipts(tx, receipts)
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
  parts.runLoop('last_uses', createUseCopier({ database, redis, log }))
  const { rightClock } = parts.runLoop(
    'clocks',
    createClockWatch({ database, redis, clock, log, onCompared: events.clocksCompared })
  )

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
  const noticeSweeper = parts.runLoop('notices', createNoticeSweeper({ orm: database.orm, redis, clock, log }))

  const health = createProviderHealth(log)
  const providerChecks = parts.keep(createProviderChecks({ config, health, log }))
  const { identity, payments } = composeProviders(config, { events, health, log })
  const mailboxes = createMailboxes(config.identity.serviceRoleKey)
  const ofUsers = { database, redis, identity, catalog, mailboxes, projector, clock, sharedTime, log }
  const planWriter = parts.runLoop('plan_writes', createPlanWriter(ofUsers))
  const dueUsers = parts.runLoop('due_users', createDueUsers(ofUsers))
  const refresher = createUserRefresher(ofUsers)

  const { secretKeys, allowedNetworks } = config.webhooks
  const send = createSendMessage({ allowedNetworks, findAddresses: createFindAddresses() })
  const webhookWorker = parts.runLoop(
    'webhooks',
    createDeliveryWorker({ database, secretKeys, send, sharedTime, rightClock, log, onAttempt: events.webhookAttempt })
  )

  const concurrency = createConcurrencyLimit(maxRefreshes, {
    refusal: 'payments_unavailable',
    maxWaiting: maxWaitingRefreshes
  })
  const customerRefresher = createCustomerRefresher({ ...ofUsers, payments, planWriter, concurrency })
  const sweeper = parts.runLoop('user_sweep', createSweeper({ ...ofUsers, customerRefresher, ...sweep }))
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

  const { minResponseTimes = defaultMinResponseTimes, limits = defaultLimits, requestTimeoutMs, arrival } = options
  const app: FastifyInstance = buildApp({
    ...ofUsers,
    config,
    catalogPublisher,
    planWriter,
    dueUsers,
    refresher,
    payments,
    customerRefresher,
    isMailing: mailer !== null,
    wakeWebhooks: webhookWorker.wake,
    tracing,
    onAnswered: events.request,
    logsRequest: sampleRequests(config.log.requests),
    failures: state.failures,
    webhookCounts: state.webhookCounts,
    heartbeat,
    ...{
      minResponseTimes,
      limits,
      ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      ...(arrival !== undefined && { arrival })
    }
  })
  parts.keep({ stop: () => app.close() })
  const onExportOutcome = (outcome: ExportOutcome, receipts: number) => events.receiptsExported(outcome, receipts)
  if (logSender !== null) {
    parts.keep({ stop: () => logSender.close() })
    parts.runLoop('request_export', createExportLoop({ database, sender: logSender, log, onOutcome: onExportOutcome }))
  }
  parts.runLoop(
    'retention',
    createTablePruner(database, config.retention, clock, log, (receipts) => onExportOutcome('expired', receipts))
  )

  metrics.observe({
    database,
    redis,
    health,
    freeSpend,
    loops: parts.loops,
    webhookCounts: state.webhookCounts,
    usageCopiedMsAgo: () => state.usageCopiedMsAgo(),
    exportLagSeconds: logSender === null ? null : () => exportLagSeconds(database.orm),
    receiptsCopiedMsAgo: () => state.receiptsCopiedMsAgo()
  })
  return {
    app,
    catalog,
    mailboxes,
    catalogFile,
    catalogPublisher,
    heartbeat,
    projector,
    planWriter,
    dueUsers,
    webhookWorker,
    mailSender,
    spendWatcher,
    freeSpend,
    noticeSweeper,
    ...{
      health,
      customerRefresher,
      dueCustomers,
      subscriptionSweeper,
      invoiceSweeper,
      sweeper,
      overrideEnder,
      tokenEnder
    },
    /** Starts every background loop. */
    start: () => parts.start(),
    /** Checks the keys of the providers in the background. Called when control listens. */
    checkProviders: () => providerChecks.start(),
    [Symbol.asyncDispose]: () => parts.stop()
  }
}
