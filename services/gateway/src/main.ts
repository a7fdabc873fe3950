import { readTrustProxy } from '@tollgate/service/config/trust-proxy.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import pino from 'pino'
import { buildAdmin } from './admin.ts'
import { createAdmissions } from './admission/admissions.ts'
import { holdMsOf } from './admission/hold-ms.ts'
import { createUseLog } from './admission/use-log.ts'
import { buildApp } from './app.ts'
import { BodyMemory } from './body/body-memory.ts'
import { followCatalog } from './catalog/live-catalog.ts'
import { createClockWatch } from './clock-watch.ts'
import { loadGatewayConfig } from './config.ts'
import { createLogOutput } from './log-output.ts'
import { createMetrics } from './metrics.ts'
import { createReaper } from './settlement/reaper.ts'
import { createSettlement } from './settlement/settlement.ts'
import { createSettlementQueue } from './settlement/settlement-queue.ts'
import { createUsageEstimator } from './tokens/usage-estimator.ts'
import { createTurn } from './turn.ts'
import { openUpstreams } from './upstreams/upstreams.ts'

/** How long a process that has to end tells Redis what is over. */
const lastSettlementsMs = 2000

async function main(): Promise<void> {
  const config = loadGatewayConfig(process.env)
  const output = createLogOutput()
  process.on('exit', () => output.end())
  const log = pino({ level: config.LOG_LEVEL, name: 'gateway' }, output)
  const upstreams = openUpstreams(config.UPSTREAMS_FILE, process.env, (upstream, state) =>
    log.warn({ upstream, breaker: state }, 'circuit breaker')
  )
  const redis = connectRedis(config.REDIS_URL, {
    name: 'tollgate-gateway',
    silenceLimitMs: config.REDIS_TIMEOUT_MS,
    onError: (err) => log.warn({ err }, 'redis')
  })
  const catalog = followCatalog(redis, (err) => log.warn({ err }, 'catalog'))
  const useLog = createUseLog(redis, (err) => log.warn({ err }, 'uses of keys are not noted'))
  const estimator = createUsageEstimator((err) => log.warn({ err }, 'usage is taken from the size of an answer'))
  const turn = createTurn(redis)
  const queue = createSettlementQueue(redis, turn, (err) => log.warn({ err }, 'settlements are not taken'))
  const bodyMemory = new BodyMemory(config.GATEWAY_BODY_MEMORY_MB * 1024 * 1024)
  const metrics = createMetrics(queue.waiting, () => bodyMemory.heldBytes)
  const settlement = createSettlement({ log, estimator, queue, onAboveBound: () => metrics.aboveBound.inc() })
  const reaper = createReaper(
    redis,
    holdMsOf(config.GATEWAY_LONGEST_REQUEST_MS),
    ({ charged, released }) => {
      metrics.reaped.inc({ done: 'charged' }, charged)
      metrics.reaped.inc({ done: 'released' }, released)
    },
    (err) => log.warn({ err }, 'overdue holds are not ended')
  )
  const clockWatch = createClockWatch(redis, metrics.setClockSkew)
  let stopping = false
  const app = buildApp({
    redis,
    catalog,
    upstreams,
    useLog,
    admission: {
      redis,
      admissions: createAdmissions(redis, turn),
      reap: reaper.reap,
      cancel: queue.cancel,
      isFull: queue.isFull
    },
    estimator,
    settlement,
    bodyMemory,
    log,
    protection: {
      trustProxy: readTrustProxy(config.TRUST_PROXY) ?? false,
      failuresPerMinute: config.GATEWAY_FAILED_KEYS_PER_MINUTE,
      maxConnections: config.GATEWAY_MAX_CONNECTIONS,
      headersTimeoutMs: config.GATEWAY_HEADERS_TIMEOUT_MS,
      requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
      slowBodyMs: config.GATEWAY_SLOW_BODY_MS,
      slowReaderMs: config.GATEWAY_SLOW_READER_MS,
      longestRequestMs: config.GATEWAY_LONGEST_REQUEST_MS,
      maxAbandonedStreams: config.GATEWAY_MAX_ABANDONED_STREAMS
    }
  })
  const admin = buildAdmin(redis, catalog, metrics.registry, () => stopping)

  const hurried = Promise.withResolvers<void>()
  function cutOff(): void {
    app.server.closeAllConnections()
    for (const { pool } of upstreams.values()) void pool.destroy()
    void estimator.hurry()
    // What has just been cut off is settled, too.
    setTimeout(hurried.resolve, lastSettlementsMs)
  }

  async function stop(): Promise<void> {
    if (stopping) {
      log.warn('told again to stop: what is under way is cut off')
      cutOff()
      return
    }
    stopping = true
    clockWatch.stop()
    log.info('stopping: requests that are under way are finished')
    const limit = setTimeout(cutOff, config.GATEWAY_DRAIN_MS)
    await app.close()
    await Promise.all([
      catalog.stop(),
      useLog.stop(),
      reaper.stop(),
      ...[...upstreams.values()].map(({ pool }) => pool.close())
    ])
    await settlement.counted()
    // What Redis does not take in time is charged as it was reserved, when it is overdue.
    await Promise.race([queue.idle(), hurried.promise])
    const lost = queue.stop()
    if (lost > 0) log.error({ lost }, 'settlements are lost')
    clearTimeout(limit)
    await Promise.all([estimator.close(), redis.close(), admin.close()])
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  await catalog.start()
  useLog.start()
  reaper.start()
  clockWatch.start()
  await listen(admin, config.GATEWAY_ADMIN_HOST, config.GATEWAY_ADMIN_PORT, 'GATEWAY_ADMIN_PORT')
  await listen(app, config.GATEWAY_HOST, config.GATEWAY_PORT, 'GATEWAY_PORT')
  log.info({ port: config.GATEWAY_PORT, adminPort: config.GATEWAY_ADMIN_PORT }, 'listening')
}

async function listen(
  server: { listen(options: { host: string; port: number }): Promise<string> },
  host: string,
  port: number,
  variable: string
): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
    throw new Error(`Port ${port} (${variable}) is taken.`, { cause })
  }
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
