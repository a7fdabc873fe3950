import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { defaultMinResponseTimes, type MinResponseTimes } from './auth/min-response-time.ts'
import { concurrencyLimitFor } from './background/limit-concurrency.ts'
import { createCustomerRefresher } from './billing/refresh-customer.ts'
import { createDueCustomersLoop } from './billing/refresh-due-customers.ts'
import { createStripePayments } from './billing/stripe/stripe-payments.ts'
import { createSubscriptionSweeper } from './billing/sweep-subscriptions.ts'
import { type Clock, systemClock } from './clocks/clock.ts'
import { createClockWatch } from './clocks/clock-watch.ts'
import type { ControlConfig } from './config.ts'
import type { Database } from './database/connect.ts'
import { defaultLimits, type Limits } from './http/limits.ts'
import { createSupabaseIdentity } from './identity/supabase-identity.ts'
import { createUseCopier } from './keys/copy-last-uses.ts'
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

type Process = 'host' | 'port' | 'databaseUrl' | 'databasePoolSize' | 'redisUrl' | 'catalogFile' | 'logLevel'

/** The configuration without the addresses that the process itself opens. Each provider may have its own time limit. */
export type ComposedConfig = Omit<ControlConfig, Process | 'identity' | 'payments'> & {
  identity: ControlConfig['identity'] & { timeoutMs?: number }
  payments: ControlConfig['payments'] & { timeoutMs?: number }
}

export interface ComposeOptions {
  config: ComposedConfig
  catalog: Catalog
  log: FastifyBaseLogger
  /** Migrated. The caller closes it, after control. */
  database: Database
  /** The caller closes it, after control. */
  redis: RedisLink
  clock?: Clock
  minResponseTimes?: MinResponseTimes
  limits?: Limits
  /** Milliseconds after which an unanswered request gets 503. */
  requestTimeoutMs?: number
  /** See `ProjectorOptions`. */
  acknowledgeTimeoutMs?: number
  /** Size of the pages of both sweeps, and milliseconds between them. */
  sweep?: { pageSize: number; pauseMs: number }
}

export type Control = ReturnType<typeof composeControl>

/**
 * Creates the parts of control and connects them. Nothing runs until `start` is called, and nothing listens. Disposing
 * stops the parts in reverse order: first the app, then the loops that its requests need.
 */
export function composeControl(options: ComposeOptions) {
  const { config, catalog, log, database, redis, clock = systemClock, sweep } = options
  const parts = new AsyncDisposableStack()
  const keep = <Part extends { stop(): void | Promise<void> }>(part: Part): Part =>
    parts.adopt(part, (stopped) => stopped.stop())

  const { acknowledgeTimeoutMs } = options
  const projector = keep(
    createProjector({
      database,
      redis,
      catalog,
      log,
      ...(acknowledgeTimeoutMs !== undefined && { acknowledgeTimeoutMs })
    })
  )
  const ledger = createPostgresLedger(database.orm)
  const maintain = (signal: AbortSignal) => maintainLedger({ database, redis, clock, retention: config.ledger }, signal)
  const usageCopier = keep(createUsageCopier({ ledger, redis, log, maintain }))
  const useCopier = keep(createUseCopier({ database, redis, log }))
  const clockWatch = keep(createClockWatch({ database, redis, clock, log }))

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
  const planWriter = keep(createPlanWriter(ofUsers))
  const dueUsers = keep(createDueUsers(ofUsers))
  const refresher = createUserRefresher(ofUsers)

  const payments = createStripePayments({
    ...config.payments,
    onAnswer: (status) => judgeStripeAnswer(status, health.report)
  })
  const concurrency = concurrencyLimitFor(database)
  const customerRefresher = createCustomerRefresher({
    database,
    payments,
    catalog,
    projector,
    planWriter,
    clock,
    log,
    concurrency
  })
  const sweeper = keep(createSweeper({ ...ofUsers, customerRefresher, ...sweep }))
  const subscriptionSweeper = keep(
    createSubscriptionSweeper({
      ...{ database, payments, catalog, clock, log, intervalMs: config.reconcileIntervalMs },
      ...(sweep !== undefined && { pauseMs: sweep.pauseMs })
    })
  )
  const dueCustomers = keep(createDueCustomersLoop({ database, customerRefresher, clock, log }))

  const { minResponseTimes = defaultMinResponseTimes, limits = defaultLimits, requestTimeoutMs } = options
  const app: FastifyInstance = buildApp({
    ...{
      config,
      database,
      identity,
      redis,
      catalog,
      projector,
      planWriter,
      dueUsers,
      refresher,
      payments,
      customerRefresher,
      health,
      log
    },
    ...{ clock, minResponseTimes, limits, ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) }
  })
  parts.defer(() => app.close())
  const pruner = keep(createTablePruner(database, config.retention, clock, log))

  const loops = [projector, clockWatch, usageCopier, useCopier, sweeper, planWriter, dueUsers]
  return {
    ...{ app, projector, planWriter, dueUsers, customerRefresher, dueCustomers, subscriptionSweeper, sweeper },
    /** Starts every background loop. */
    start(): void {
      for (const loop of [...loops, subscriptionSweeper, dueCustomers, pruner]) loop.start()
    },
    /** Checks the keys of the providers in the background. Called when control listens. */
    checkProviders: () => providerChecks.start(),
    [Symbol.asyncDispose]: () => parts.disposeAsync()
  }
}
