import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { createHeartbeat } from '@tollgate/state/processes/create-heartbeat.ts'
import { liveUpstreams as readLiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createOverrideEnder } from './accounts/end-overrides.ts'
import { ProcessState } from './admin/process-state.ts'
import { buildApp } from './app.ts'
import { defaultMinResponseTimes, type MinResponseTimes } from './auth/min-response-time.ts'
import { concurrencyLimitFor } from './background/limit-concurrency.ts'
import { createCustomerRefresher } from './billing/refresh-customer.ts'
import { createDueCustomersLoop } from './billing/refresh-due-customers.ts'
import { createStripePayments } from './billing/stripe/stripe-payments.ts'
import { createInvoiceSweeper } from './billing/sweep-invoices.ts'
import { createSubscriptionSweeper } from './billing/sweep-subscriptions.ts'
import { createCatalogParts } from './catalog/catalog-parts.ts'
import type { LiveUpstreams } from './catalog/catalog-publisher.ts'
import { type Clock, systemClock } from './clocks/clock.ts'
import { createClockWatch } from './clocks/clock-watch.ts'
import type { ControlConfig } from './config.ts'
import type { Database } from './database/connect.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import { createSupabaseIdentity } from './identity/supabase-identity.ts'
import { createUseCopier } from './keys/copy-last-uses.ts'
import { createMailer } from './mail/mailer.ts'
import { createProjector } from './projection/projector.ts'
import { createProviderChecks } from './provider-health/check-providers.ts'
import { judgeAnonAnswer, judgeServiceRoleAnswer, judgeStripeAnswer } from './provider-health/judge-answer.ts'
import { createProviderHealth } from './provider-health/provider-health.ts'
import { createTablePruner } from './retention/table-pruner.ts'
import { maintainLedger } from './usage/maintain-ledger.ts'
import { createPostgresLedger } from './usage/postgres-ledger.ts'
import { createUsageCopier } from './usage/usage-copier.ts'
import { createDueUsers } from './users/due-users.ts'
import { createPlanWriter } from './users/plan-writer.ts'
import { createUserRefresher } from './users/refresh-user.ts'
import { createSweeper } from './users/sweep-users.ts'

type OwnPorts = 'host' | 'port' | 'admin'
type Process = OwnPorts | 'databaseUrl' | 'databasePoolSize' | 'isMigrating' | 'redisUrl' | 'logLevel' | 'traces'

/** The configuration without the addresses that the process itself opens. Each provider may have its own time limit. */
export type ComposedConfig = Omit<ControlConfig, Process | 'identity' | 'payments'> & {
  identity: ControlConfig['identity'] & { timeoutMs?: number }
  payments: ControlConfig['payments'] & { timeoutMs?: number }
}

export interface ComposeOptions {
  config: ComposedConfig
  log: FastifyBaseLogger
  /** Migrated. The caller closes it, after control. */
  database: Database
  /** The caller closes it, after control. */
  redis: RedisLink
  /** Closed with control. Default: requests are not traced. */
  tracing?: Tracing | null
  clock?: Clock
  minResponseTimes?: MinResponseTimes
  limits?: Limits
  /** Milliseconds after which an unanswered request gets 503. */
  requestTimeoutMs?: number
  /** See `ProjectorOptions`. */
  acknowledgeTimeoutMs?: number
  /** Default: those of the gateways that report to Redis. */
  liveUpstreams?: LiveUpstreams
  /** Milliseconds between two checks of the catalog file, and for which a changed file must stay unchanged. */
  catalogFile?: { intervalMs: number; settleMs: number }
  /** Size of the pages of both sweeps, and milliseconds between them. */
  sweep?: { pageSize: number; pauseMs: number }
}

export type Control = ReturnType<typeof composeControl>

/**
 * Creates the parts of control and connects them. Nothing runs until `start` is called, and nothing listens. Before, a
 * catalog must be in force: call `catalogFile.open`. Disposing stops the parts in reverse order: first the app, then the loops
 * that its requests need.
 */
export function composeControl(options: ComposeOptions) {
  const { config, log, database, redis, tracing = null, clock = systemClock, sweep } = options
  const { liveUpstreams = () => readLiveUpstreams(redis) } = options
  const parts = new AsyncDisposableStack()
  parts.defer(() => tracing?.close())
  const keep = <Part extends { stop(): void | Promise<void> }>(part: Part): Part =>
    parts.adopt(part, (stopped) => stopped.stop())

  const loops: Array<{ start(): void }> = []
  const run = <Loop extends { start(): void; stop(): void | Promise<void> }>(loop: Loop): Loop => {
    loops.push(loop)
    return keep(loop)
  }

  const state = new ProcessState()
  const onFailingHeartbeat = (err: Error) => log.warn({ err }, 'cannot report to Redis that control runs')
  const heartbeat = run(createHeartbeat(redis, () => state.facts(), onFailingHeartbeat))

  const { acknowledgeTimeoutMs } = options
  const projector = run(
    createProjector({ database, redis, log, ...(acknowledgeTimeoutMs !== undefined && { acknowledgeTimeoutMs }) })
  )
  const { catalog, catalogPublisher, catalogFile } = createCatalogParts({
    ...{ database, redis, projector, clock, log, config, liveUpstreams, catalogFile: options.catalogFile }
  })
  run(catalog)
  run(catalogFile)
  const ledger = createPostgresLedger(database.orm)
  const maintain = (signal: AbortSignal) => maintainLedger({ database, redis, clock, retention: config.ledger }, signal)
  const onCopied = (until: number) => state.usageCopied(until)
  run(createUsageCopier({ ledger, redis, log, maintain, onCopied }))
  run(createUseCopier({ database, redis, log }))
  run(createClockWatch({ database, redis, clock, log }))

  const mailer = keep(createMailer({ smtp: config.smtp, log }))

  const health = createProviderHealth(log)
  const providerChecks = keep(createProviderChecks({ config, health, log }))
  const { serviceRoleKey } = config.identity
  const identity = createSupabaseIdentity({
    ...config.identity,
    publicUrl: config.publicUrl,
    log,
    onAnswer(apiKey, path, status) {
      const judge = apiKey === serviceRoleKey ? judgeServiceRoleAnswer : judgeAnonAnswer
      judge(path, status, health.report)
    }
  })
  const ofUsers = { database, identity, catalog, projector, clock, log }
  const planWriter = run(createPlanWriter(ofUsers))
  const dueUsers = run(createDueUsers(ofUsers))
  const refresher = createUserRefresher(ofUsers)

  const payments = createStripePayments({
    ...config.payments,
    onAnswer: (status) => judgeStripeAnswer(status, health.report)
  })
  const concurrency = concurrencyLimitFor(database)
  const customerRefresher = createCustomerRefresher({ ...ofUsers, payments, planWriter, concurrency })
  const sweeper = run(createSweeper({ ...ofUsers, customerRefresher, ...sweep }))
  const ofSweeps = {
    ...{ database, payments, clock, log, intervalMs: config.reconcileIntervalMs },
    ...(sweep !== undefined && { pauseMs: sweep.pauseMs })
  }
  const subscriptionSweeper = run(createSubscriptionSweeper({ ...ofSweeps, catalog }))
  const invoiceSweeper = run(createInvoiceSweeper(ofSweeps))
  const overrideEnder = run(createOverrideEnder({ database, redis, projector, clock, log }))
  const dueCustomers = run(createDueCustomersLoop({ database, customerRefresher, clock, log }))

  const { minResponseTimes = defaultMinResponseTimes, limits = defaultLimits, requestTimeoutMs } = options
  const app: FastifyInstance = buildApp({
    ...ofUsers,
    ...{ config, redis, catalogPublisher, planWriter, dueUsers, refresher, payments, customerRefresher, mailer },
    ...{ tracing, failures: state.failures, webhookCounts: state.webhookCounts, heartbeat },
    ...{ minResponseTimes, limits, ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) }
  })
  parts.defer(() => app.close())
  run(createTablePruner(database, config.retention, clock, log))

  return {
    ...{ app, catalog, catalogFile, catalogPublisher, heartbeat, projector, planWriter, dueUsers },
    ...{ health, customerRefresher, dueCustomers, subscriptionSweeper, invoiceSweeper, sweeper, overrideEnder },
    /** Starts every background loop. */
    start(): void {
      for (const loop of loops) loop.start()
    },
    /** Checks the keys of the providers in the background. Called when control listens. */
    checkProviders: () => providerChecks.start(),
    [Symbol.asyncDispose]: () => parts.disposeAsync()
  }
}
