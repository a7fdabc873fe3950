import { sampleRequests } from '@tollgate/service/log/log-lines.ts'
import type { LogSender } from '@tollgate/service/log-export/log-sender.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { createHeartbeat, liveUpstreams as readLiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { ProcessState } from './admin/system.ts'
import { buildApp, type ControlDependencies } from './app.ts'
import { defaultMinResponseTimes, type MinResponseTimes } from './auth/auth-context.ts'
import { createDueWatch } from './background/due-watch.ts'
import { RunningParts } from './background/running-parts.ts'
import { createCatalogPublisher, type LiveUpstreams } from './catalog/catalog-publisher.ts'
import { followCatalogFile } from './catalog/follow-catalog-file.ts'
import { createLiveCatalog } from './catalog/live-catalog.ts'
import { type Clock, databaseClock, type SharedTime, systemClock } from './clocks/clock.ts'
import {
  type Base,
  type ComposedConfig,
  composeBilling,
  composeCopiers,
  composeNotices,
  composeProviders,
  type UserParts
} from './compose-areas.ts'
import type { Database } from './database/connect.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import type { ControlMetrics } from './metrics/control-metrics.ts'
import { type CheckDelays, defaultCheckDelays } from './notices/spend-checks.ts'
import { createProjector } from './projection/projector.ts'
import { createProviderChecks } from './provider-health/check-providers.ts'
import { createProviderHealth } from './provider-health/provider-health.ts'
import { createExportLoop, type ExportOutcome } from './requests/export/export-loop.ts'
import { exportLagSeconds } from './requests/export/export-queue.ts'
import { createTablePruner } from './retention/table-pruner.ts'
import { createMailboxes } from './signup/mailbox.ts'
import { createServiceStatus, type ServiceStatus } from './status/service-status.ts'
import { createStatusReader } from './status/status-reader.ts'
import { createPlanWriter } from './users/plan-writer.ts'
import { createDueUsers, createUserRefresher } from './users/refresh-user.ts'
import { createFindAddresses } from './webhooks/addresses.ts'
import { createDeliveryWorker, type DeliveryWorker } from './webhooks/delivery-worker.ts'
import { createSendMessage } from './webhooks/send-message.ts'

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
  const { config, log, database, redis, metrics, sweep, tracing = null, logSender = null } = options
  const { clock = systemClock, sharedTime = databaseClock } = options
  const { events } = metrics
  const parts = new RunningParts()
  // First, so that it closes last, after everything that makes spans.
  if (tracing !== null) parts.keep({ stop: () => tracing.close() })
  const state = new ProcessState()
  const base: Base = { config, log, database, redis, clock, sharedTime, events, state, parts }
  const health = createProviderHealth(log)
  const onFailingHeartbeat = (err: Error) => log.warn({ err }, 'cannot report to Redis that control runs')
  const heartbeat = parts.run(
    createHeartbeat(redis, () => ({ ...state.facts(), problems: health.problems() }), onFailingHeartbeat)
  )

  const projection = composeProjection(base, options)
  const { projector, catalog } = projection
  const checkDelays = options.checkDelays ?? defaultCheckDelays
  const { ledger, rightClock } = composeCopiers(base, { checkDelays, isExporting: logSender !== null })
  const { isMailing, ...notices } = composeNotices(base, { catalog, ledger })

  const providerChecks = parts.keep(createProviderChecks({ config, health, log }))
  const { identity, payments } = composeProviders(config, { events, health, log })
  const mailboxes = createMailboxes(config.identity.serviceRoleKey)
  const users: UserParts = { database, redis, identity, catalog, mailboxes, projector, clock, sharedTime, log }
  const planWriter = parts.runLoop('plan_writes', createPlanWriter(users))
  const dueUsers = parts.runLoop('due_users', createDueUsers(users))
  const webhookWorker = composeWebhooks(base, rightClock)
  const billing = composeBilling(base, users, { payments, planWriter, sweep })

  const app = composeApp(base, options, {
    ...users,
    catalogPublisher: projection.catalogPublisher,
    status: composeStatus(base, projection),
    planWriter,
    dueUsers,
    refresher: createUserRefresher(users),
    payments,
    customerRefresher: billing.customerRefresher,
    isMailing,
    wakeWebhooks: webhookWorker.wake,
    heartbeat
  })
  composeExport(base, logSender)
  parts.runLoop('due_watch', createDueWatch(database.orm, parts.watched, log))
  metrics.observe({
    database,
    redis,
    health,
    freeSpend: notices.freeSpend,
    loops: parts.loops,
    webhookCounts: state.webhookCounts,
    usageCopiedMsAgo: () => state.usageCopiedMsAgo(),
    exportLagSeconds: logSender === null ? null : () => exportLagSeconds(database.orm),
    receiptsCopiedMsAgo: () => state.receiptsCopiedMsAgo()
  })
  return {
    ...projection,
    ...notices,
    ...billing,
    app,
    mailboxes,
    heartbeat,
    planWriter,
    dueUsers,
    webhookWorker,
    health,
    /** Starts every background loop. */
    start: () => parts.start(),
    /** Checks the keys of the providers in the background. Called when control listens. */
    checkProviders: () => providerChecks.start(),
    [Symbol.asyncDispose]: () => parts.stop()
  }
}

/** Creates the loop that projects PostgreSQL's state to Redis, and the parts that read and publish catalogs. */
function composeProjection({ config, database, redis, clock, log, events, parts }: Base, options: ComposeOptions) {
  const { acknowledgeTimeoutMs, liveUpstreams = () => readLiveUpstreams(redis) } = options
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
  const catalog = parts.runLoop('catalog', createLiveCatalog(database.orm, log))
  const catalogPublisher = createCatalogPublisher({ database, redis, catalog, projector, liveUpstreams, clock })
  const catalogFile = parts.runLoop(
    'catalog_file',
    followCatalogFile({
      orm: database.orm,
      file: config.catalogFile,
      mode: config.catalogOnStart,
      publisher: catalogPublisher,
      catalog,
      log,
      ...options.catalogFile
    })
  )
  return { projector, catalog, catalogPublisher, catalogFile }
}

/** Creates what reads the public status. */
function composeStatus(
  { database, redis, clock, log }: Base,
  { catalog, catalogPublisher }: ReturnType<typeof composeProjection>
): ServiceStatus {
  const reader = createStatusReader({ orm: database.orm, redis, catalog, catalogPublisher, clock, log })
  return createServiceStatus({ orm: database.orm, reader, clock, log })
}

type OwnSettings = 'config' | 'tracing' | 'onAnswered' | 'logsRequest' | 'failures' | 'webhookCounts'
type HttpSettings = 'minResponseTimes' | 'limits' | 'requestTimeoutMs' | 'arrival'

/** Builds the app. It closes before the loops that its requests need. */
function composeApp(
  { config, events, state, parts }: Base,
  options: ComposeOptions,
  dependencies: Omit<ControlDependencies, OwnSettings | HttpSettings>
): FastifyInstance {
  const { tracing = null, minResponseTimes = defaultMinResponseTimes, limits = defaultLimits } = options
  const { requestTimeoutMs, arrival } = options
  const app = buildApp({
    ...dependencies,
    config,
    tracing,
    onAnswered: events.request,
    logsRequest: sampleRequests(config.log.requests),
    failures: state.failures,
    webhookCounts: state.webhookCounts,
    minResponseTimes,
    limits,
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(arrival !== undefined && { arrival })
  })
  parts.keep({ stop: () => app.close() })
  return app
}

/** Creates the loop that sends webhooks. */
function composeWebhooks(
  { config, database, sharedTime, log, events, parts }: Base,
  rightClock: Clock
): DeliveryWorker {
  const { secretKeys, allowedNetworks } = config.webhooks
  const send = createSendMessage({ allowedNetworks, findAddresses: createFindAddresses() })
  return parts.runLoop(
    'webhooks',
    createDeliveryWorker({ database, secretKeys, send, sharedTime, rightClock, log, onAttempt: events.webhookAttempt })
  )
}

/** Creates the export of receipts, if there is a collector, and the loop that deletes old rows. */
function composeExport({ config, database, clock, log, events, parts }: Base, logSender: LogSender | null): void {
  const onOutcome = (outcome: ExportOutcome, receipts: number) => events.receiptsExported(outcome, receipts)
  if (logSender !== null) {
    parts.keep({ stop: () => logSender.close() })
    parts.runLoop('request_export', createExportLoop({ database, sender: logSender, log, onOutcome }))
  }
  parts.runLoop(
    'retention',
    createTablePruner(database, config.retention, clock, log, (receipts) => onOutcome('expired', receipts))
  )
}
