import { readDocsUrl } from '@tollgate/service/config/docs-url.ts'
import { readTrustProxy } from '@tollgate/service/config/trust-proxy.ts'
import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { listen } from '@tollgate/service/http/listen.ts'
import { loadPrettyLines, type PrettyLine } from '@tollgate/service/log/pretty-lines.ts'
import { sampleRequests } from '@tollgate/service/log/sample-requests.ts'
import { openTracing } from '@tollgate/service/tracing/open-tracing.ts'
import { readTraces } from '@tollgate/service/tracing/trace-settings.ts'
import { version } from '@tollgate/service/version.ts'
import { openRedis } from '@tollgate/state/link/first-contact.ts'
import pino, { type Logger } from 'pino'
import { composeGateway, type Gateway } from './compose.ts'
import { type GatewayConfig, loadGatewayConfig } from './config.ts'
import type { Protection } from './http/protection.ts'
import { createLogOutput } from './telemetry/log-output.ts'
import { collectProcessMetrics } from './telemetry/metrics.ts'

async function main(): Promise<void> {
  // Without a listener, the signal would end the process. It may arrive at any time.
  let reload: () => void = () => {}
  process.on('SIGHUP', () => reload())
  const config = loadGatewayConfig(process.env)
  const output = createLogOutput(await lineFormat(config.LOG_FORMAT))
  process.on('exit', () => output.end())
  const log = pino({ level: config.LOG_LEVEL, name: 'gateway' }, output)
  for (const warning of findUnknownVariables(process.env)) log.warn(warning)
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
    log,
    bodyMemoryBytes: config.GATEWAY_BODY_MEMORY_MB * 1024 * 1024,
    protection: protectionOf(config),
    tracing,
    logsRequest: sampleRequests(config.LOG_REQUESTS),
    docsUrl: readDocsUrl(config.DOCS_URL)
  })
  collectProcessMetrics(gateway.metrics.registry)
  stopOnSignals(gateway, log, config.GATEWAY_DRAIN_MS, tracing !== null)
  reload = () => void gateway.reloadUpstreams()
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

/** How a line is written; null: as it is. */
async function lineFormat(format: GatewayConfig['LOG_FORMAT']): Promise<PrettyLine | null> {
  return format === 'pretty' ? loadPrettyLines(process.stdout.isTTY === true) : null
}

function protectionOf(config: GatewayConfig): Protection {
  return {
    trustProxy: readTrustProxy(config.TRUST_PROXY) ?? false,
    failuresPerMinute: config.GATEWAY_FAILED_KEYS_PER_MINUTE,
    maxConnections: config.GATEWAY_MAX_CONNECTIONS,
    headersTimeoutMs: config.GATEWAY_HEADERS_TIMEOUT_MS,
    requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
    slowBodyMs: config.GATEWAY_SLOW_BODY_MS,
    slowReaderMs: config.GATEWAY_SLOW_READER_MS,
    maxRequestMs: config.GATEWAY_LONGEST_REQUEST_MS,
    maxAbandonedStreams: config.GATEWAY_MAX_ABANDONED_STREAMS
  }
}

/** The first signal lets requests in flight finish for `drainMs`. A second signal ends them at once. */
function stopOnSignals(gateway: Gateway, log: Logger, drainMs: number, isTracing: boolean): void {
  let isStopping = false
  async function stop(): Promise<void> {
    if (isStopping) {
      log.warn('second stop signal: ending requests in flight now')
      gateway.cutOff()
      return
    }
    isStopping = true
    log.info('stopping: waiting for requests in flight')
    const deadline = setTimeout(() => gateway.cutOff(), drainMs)
    await gateway[Symbol.asyncDispose]()
    clearTimeout(deadline)
    // The exporter's retries would keep the process running.
    if (isTracing) process.exit()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
