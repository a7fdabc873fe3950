import { readDocsUrl, readTrustProxy } from '@tollgate/service/config/common-settings.ts'
import { listen } from '@tollgate/service/http/listen.ts'
import { sampleRequests } from '@tollgate/service/log/log-lines.ts'
import { collectProcessMetrics } from '@tollgate/service/metrics/process-metrics.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import { readTraces } from '@tollgate/service/tracing/tracing.ts'
import { version } from '@tollgate/service/workspace.ts'
import { openRedis } from '@tollgate/state/link/first-contact.ts'
import type { Logger } from 'pino'
import { composeGateway, type Gateway } from '../compose.ts'
import type { GatewayConfig } from '../config.ts'
import type { Protection } from '../http/protection.ts'
import { requestLogOf } from '../receipts/refusal-log.ts'
import type { Learned } from '../upstreams/upstreams.ts'

/** A gateway of this process. It does not listen yet. */
export interface OpenedGateway {
  readonly gateway: Gateway
  /**
   * Lets requests in flight finish for `GATEWAY_DRAIN_MS`, and closes the gateway. A second call ends them at once.
   *
   * @param endsProcess whether the process must end although something still runs
   */
  stop(endsProcess?: boolean): Promise<void>
}

/**
 * Opens a gateway as its configuration says, and reads the catalog.
 *
 * @param onLearned called with what its calls show of an upstream
 */
export async function openGateway(
  config: GatewayConfig,
  log: Logger,
  onLearned: (learned: Learned) => void = () => {}
): Promise<OpenedGateway> {
  const redis = await openRedis(config.REDIS_URL, {
    name: 'tollgate-gateway',
    silenceTimeoutMs: config.REDIS_TIMEOUT_MS,
    onError: (err) => log.warn({ err }, 'redis')
  })
  const tracing = await openTracing(readTraces(config), {
    name: 'tollgate-gateway',
    version,
    onDropped: (dropped) => log.warn({ dropped }, 'spans are lost: the collector is away or too slow')
  })
  const gateway = composeGateway({
    redis,
    upstreamsFile: config.UPSTREAMS_FILE,
    env: process.env,
    onLearned,
    log,
    bodyMemoryBytes: config.GATEWAY_BODY_MEMORY_MB * 1024 * 1024,
    protection: protectionOf(config),
    tracing,
    requestLog: requestLogOf(config),
    idempotencyMemoryMb: config.IDEMPOTENCY_MEMORY_MB,
    // Lines below the level would be built, and not written.
    logsRequest: sampleRequests(log.isLevelEnabled('info') ? config.LOG_REQUESTS : 0),
    docsUrl: readDocsUrl(config.DOCS_URL)
  })
  collectProcessMetrics(gateway.metrics.registry)
  // The exporter's retries would keep the process running.
  const isTracing = tracing !== null
  let isStopping = false
  return {
    gateway,
    async stop(endsProcess = isTracing) {
      if (isStopping) {
        log.warn('second stop signal: ending requests in flight now')
        gateway.cutOff()
        return
      }
      isStopping = true
      log.info('stopping: waiting for requests in flight')
      const deadline = setTimeout(() => gateway.cutOff(), config.GATEWAY_DRAIN_MS)
      await gateway[Symbol.asyncDispose]()
      clearTimeout(deadline)
      if (endsProcess) process.exit()
    }
  }
}

/**
 * Longer than nginx keeps an idle connection (`keepalive_timeout` in deploy/nginx): so nginx closes idle connections
 * first, and sends no request on one that the gateway closes.
 */
const lingerMs = 1500

/** The limits of a configuration. */
export function protectionOf(config: GatewayConfig): Protection {
  return {
    trustProxy: readTrustProxy(config.TRUST_PROXY) ?? false,
    failuresPerMinute: config.GATEWAY_FAILED_KEYS_PER_MINUTE,
    maxConnections: config.GATEWAY_MAX_CONNECTIONS,
    headersTimeoutMs: config.GATEWAY_HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
    slowBodyMs: config.GATEWAY_SLOW_BODY_MS,
    slowReaderMs: config.GATEWAY_SLOW_READER_MS,
    maxRequestMs: config.GATEWAY_LONGEST_REQUEST_MS,
    maxAbandonedStreams: config.GATEWAY_MAX_ABANDONED_STREAMS,
    lingerMs
  }
}

/** Runs the gateway in this process. Resolves when it listens. */
export async function runAlone(config: GatewayConfig, log: Logger): Promise<void> {
  const { gateway, stop } = await openGateway(config, log)
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  process.on('SIGHUP', () => void gateway.reloadUpstreams())
  await gateway.start()
  const {
    GATEWAY_ADMIN_HOST: adminHost,
    GATEWAY_ADMIN_PORT: adminPort,
    GATEWAY_HOST: host,
    GATEWAY_PORT: port
  } = config
  await listen(gateway.admin, { host: adminHost, port: adminPort, portVariable: 'GATEWAY_ADMIN_PORT' })
  await listen(gateway.app, { host, port, portVariable: 'GATEWAY_PORT' })
  gateway.checkUpstreams()
  log.info({ port, adminPort }, 'listening')
}
