import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import { DrizzleQueryError } from 'drizzle-orm'
import type { Logger } from 'pino'
import { createPlanWriter } from './accounts/plan-writer.ts'
import { buildApp } from './app.ts'
import { createSupabaseIdentity } from './auth/identity/supabase-identity.ts'
import { createDueUsers } from './auth/reconcile/due-users.ts'
import { createSweeper } from './auth/reconcile/sweep.ts'
import { createStripePayments } from './billing/stripe/stripe-payments.ts'
import { createSubscriptionSync } from './billing/subscription-sync.ts'
import { createSubscriptionSweeper } from './billing/sweep-subscriptions.ts'
import { createSyncLoop } from './billing/sync-loop.ts'
import { turnsFor } from './billing/turns.ts'
import { systemClock } from './clock.ts'
import { createClockWatch } from './clocks/clock-watch.ts'
import { earliestTime } from './clocks/earliest-time.ts'
import { type ControlConfig, loadControlConfig } from './config.ts'
import { type Database, openDatabase } from './database/connect.ts'
import { migrateWhenReachable } from './database/migrate.ts'
import { keepTablesShort } from './database/retention/keep-short.ts'
import { createLog } from './http/log.ts'
import { createUseCopier } from './keys/copy-last-uses.ts'
import { createProjector } from './projection/projector.ts'
import { foldLedger } from './usage/fold-ledger.ts'
import { createPostgresLedger } from './usage/postgres-ledger.ts'
import { createUsageCopier } from './usage/usage-copier.ts'

/** What is under way must have ended by then; an orchestrator would kill the process a little later. */
const stopTimeoutMs = 20_000

/** How long the copying of usage may wait for the ledger to be tidied. */
const tidyLimitMs = 500

async function main(): Promise<void> {
  const config = loadControlConfig(process.env)
  const catalog = loadCatalogFile(config.catalogFile)
  const log = createLog(config.logLevel)
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err }, origin)
    process.exit(1)
  })
  const stop = await start(config, catalog, log)

  let isStopping = false
  const onSignal = (signal: string) => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'stopping: requests that are under way are finished')
    setTimeout(() => {
      log.error('stopped before everything had ended')
      process.exit(1)
    }, stopTimeoutMs).unref()
    stop().then(() => process.exit(0))
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** @returns a function that ends it again: first what takes requests, last what they need */
async function start(config: ControlConfig, catalog: Catalog, log: Logger): Promise<() => Promise<void>> {
  await using parts = new AsyncDisposableStack()
  const database = parts.adopt(await openMigrated(config, log), (opened) => opened.close())
  const redis = connectRedis(config.redisUrl, {
    name: 'tollgate-control',
    silenceLimitMs: 2000,
    onError: (err) => log.warn({ err }, 'redis')
  })
  parts.defer(() => redis.close())
  const projector = createProjector({ database, redis, catalog, log })
  parts.defer(() => projector.stop())
  const usageCopier = createUsageCopier({
    ledger: createPostgresLedger(database.orm),
    redis,
    log,
    async tidy(signal) {
      const deadline = performance.now() + tidyLimitMs
      const isStopping = () => signal.aborted || performance.now() > deadline
      const now = await earliestTime(database.orm, redis, systemClock)
      return (await foldLedger(database.orm, config.ledger, now, isStopping)).isDone
    }
  })
  parts.defer(() => usageCopier.stop())
  const useCopier = createUseCopier({ database, redis, log })
  parts.defer(() => useCopier.stop())
  const identity = createSupabaseIdentity({ ...config.identity, publicUrl: config.publicUrl, log })
  const payments = createStripePayments(config.payments)
  const clock = systemClock
  const clockWatch = createClockWatch({ database, redis, clock, log })
  parts.defer(() => clockWatch.stop())
  const planWriter = createPlanWriter({ database, identity, catalog, projector, clock, log })
  parts.defer(() => planWriter.stop())
  const dueUsers = createDueUsers({ database, identity, catalog, projector, clock, log })
  parts.defer(() => dueUsers.stop())
  const turns = turnsFor(database)
  const sync = createSubscriptionSync({ database, payments, catalog, projector, planWriter, clock, log, turns })
  const sweeper = createSweeper({ database, identity, catalog, projector, sync, clock, log })
  parts.defer(() => sweeper.stop())
  const subscriptionSweeper = createSubscriptionSweeper({
    database,
    payments,
    catalog,
    clock,
    log,
    intervalMs: config.reconcileIntervalMs
  })
  parts.defer(() => subscriptionSweeper.stop())
  const syncLoop = createSyncLoop({ database, sync, clock, log })
  parts.defer(() => syncLoop.stop())
  const app = buildApp({
    config,
    database,
    identity,
    redis,
    catalog,
    projector,
    planWriter,
    dueUsers,
    payments,
    sync,
    log
  })
  parts.defer(() => app.close())
  parts.defer(keepTablesShort(database, config.retention, clock, log))
  projector.start()
  clockWatch.start()
  usageCopier.start()
  useCopier.start()
  sweeper.start()
  planWriter.start()
  dueUsers.start()
  subscriptionSweeper.start()
  syncLoop.start()
  await listen(app, config)
  const started = parts.move()
  return () => started.disposeAsync()
}

async function openMigrated({ databaseUrl, databasePoolSize }: ControlConfig, log: Logger): Promise<Database> {
  let database: Database | null = null
  try {
    database = await openDatabase(databaseUrl, { poolSize: databasePoolSize })
    await migrateWhenReachable(database.orm, log)
    return database
  } catch (error) {
    await database?.close()
    const cause = error instanceof DrizzleQueryError ? error.cause : error
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Error(`DATABASE_URL: ${message || code}`, { cause: error })
  }
}

async function listen(app: ReturnType<typeof buildApp>, { host, port }: ControlConfig): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
    throw new Error(`CONTROL_PORT: port ${port} on ${host} is taken by another program`, { cause })
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`control: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
