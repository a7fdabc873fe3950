import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { createAdminServer } from '@tollgate/service/http/admin-server.ts'
import { listen } from '@tollgate/service/http/listen.ts'
import { openLogSender } from '@tollgate/service/log-export/open-log-sender.ts'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import { version } from '@tollgate/service/workspace.ts'
import { openRedis } from '@tollgate/state/link/first-contact.ts'
import { DrizzleQueryError } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { ControlConfig } from './config.ts'
import { type Database, openDatabase } from './database/connect.ts'
import { assertMigratedWhenReachable, migrateWhenReachable } from './database/migrate.ts'
import { createLog, prettyOutput } from './http/log.ts'
import { createControlReadiness, type ServingControl } from './http/readiness.ts'
import { createControlMetrics } from './metrics/control-metrics.ts'

/** SQLSTATEs that only the operator can repair, and the cures. */
const cures: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or password, or percent-encode their special characters (%40 for @)',
  '28000': 'Correct the user, or allow it in pg_hba.conf',
  '3D000': 'Create the database, or correct its name',
  '42501': 'Grant the user the rights that it lacks'
}

/**
 * Describes why the database could not be opened or migrated, with the cure if it is known. The text has no part of
 * `DATABASE_URL` besides the names of user, host and database.
 */
function describeOpenFailure(error: unknown): string {
  const { code = '', message } = rootOf(error) as NodeJS.ErrnoException
  const cure = cures[code]
  return `DATABASE_URL: ${message || code}${cure === undefined ? '' : `. ${cure}`}`
}

function rootOf(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
}

/** What is under way must have ended by then; an orchestrator would kill the process a little later. */
const stopTimeoutMs = 20_000

/** Runs control in this process. Resolves when it listens. */
export async function runControl(config: ControlConfig): Promise<void> {
  const log = createLog(config.log.level, config.log.format === 'pretty' ? await prettyOutput() : undefined)
  for (const warning of findUnknownVariables(process.env)) log.warn(warning)
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err }, origin)
    process.exit(1)
  })
  let reload = (): void => undefined
  // By default, the signal would end the process. During the start, the files are read anyway.
  process.on('SIGHUP', () => {
    log.info({ signal: 'SIGHUP' }, 'checking the catalog file')
    reload()
  })
  let isStopping = false
  const onSignal = (signal: string) => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'stopping: waiting for requests in flight')
    setTimeout(() => {
      log.error('stopped before all requests and background work had ended')
      process.exit(1)
    }, stopTimeoutMs).unref()
    void starting.then(({ stop }) => stop()).then(() => process.exit(0))
  }
  // Before, the signal ends the process at once: it may wait for its database, and nothing is under way.
  const onServing = () => {
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  }
  const starting = start(config, log, onServing)
  reload = (await starting).reload
}

interface Started {
  /** Stops control: first the requests, last what they need. */
  stop(): Promise<void>
  /** Checks files that may have changed. */
  reload(): void
}

/** @param onServing called before anything is under way that a signal must not cut off */
async function start(config: ControlConfig, log: Logger, onServing: () => void): Promise<Started> {
  await using parts = new AsyncDisposableStack()
  const metrics = createControlMetrics()
  collectProcessMetrics(metrics.registry)
  let serving: ServingControl | null = null
  let isStopping = false
  const readReadiness = createControlReadiness()
  const admin = createAdminServer({
    registry: metrics.registry,
    readiness: () => readReadiness(serving, isStopping)
  })
  parts.defer(() => admin.close())
  // First: probes must get an answer while control waits for its database, or migrates it.
  const adminUrl = await listen(admin, { ...config.admin, portVariable: 'CONTROL_ADMIN_PORT' })
  log.info(`Admin server listening at ${adminUrl}`)
  // Before the database, because a wrong password is found at once. The database may take longer.
  const redis = await openRedis(config.redisUrl, {
    name: 'tollgate-control',
    silenceTimeoutMs: 2000,
    onError: (err) => log.warn({ err }, 'redis')
  })
  parts.defer(() => redis.close())
  const database = parts.adopt(await openMigrated(config, log), (opened) => opened.close())
  const tracing = await openTracing(config.traces, {
    name: 'tollgate-control',
    version,
    onDropped: (dropped) => log.warn({ dropped }, 'spans are lost: the collector is away or too slow')
  })
  const logSender = await openLogSender(config.logExport, { name: 'tollgate-control', version })
  // Most of the code. It is loaded last, so that an unreachable Redis or database is reported early.
  const { composeControl } = await import('./compose.ts')
  const control = parts.use(composeControl({ config, log, database, redis, metrics, tracing, logSender }))
  await control.catalogFile.open()
  onServing()
  control.start()
  await listen(control.app, { host: config.host, port: config.port, portVariable: 'CONTROL_PORT' })
  serving = { database, redis, health: control.health }
  control.checkProviders()
  const started = parts.move()
  return {
    stop() {
      isStopping = true
      return started.disposeAsync()
    },
    reload: () => control.catalogFile.reload()
  }
}

async function openMigrated(
  { databaseUrl, databasePoolSize, isMigrating }: ControlConfig,
  log: Logger
): Promise<Database> {
  let database: Database | null = null
  try {
    database = await openDatabase(databaseUrl, { poolSize: databasePoolSize })
    await (isMigrating ? migrateWhenReachable : assertMigratedWhenReachable)(database.orm, log)
    return database
  } catch (error) {
    await database?.close()
    throw new Error(describeOpenFailure(error), { cause: error })
  }
}
