import { readDocsUrl } from '@tollgate/service/config/docs-url.ts'
import { readTrustProxy } from '@tollgate/service/config/trust-proxy.ts'
import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { loadPrettyLines, type PrettyLine } from '@tollgate/service/log/pretty-lines.ts'
import { sampleRequests } from '@tollgate/service/log/sample-requests.ts'
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
  const gateway = composeGateway({
    redis,
    upstreamsFile: config.UPSTREAMS_FILE,
    env: process.env,
    log,
    bodyMemoryBytes: config.GATEWAY_BODY_MEMORY_MB * 1024 * 1024,
    protection: protectionOf(config),
    // Lines below the level would be built, and not written.
    logsRequest: sampleRequests(log.isLevelEnabled('info') ? config.LOG_REQUESTS : 0),
    docsUrl: readDocsUrl(config.DOCS_URL)
  })
  collectProcessMetrics(gateway.metrics.registry)
  stopOnSignals(gateway, log, config.GATEWAY_DRAIN_MS)
  reload = () => void gateway.reloadUpstreams()
  await gateway.start()
  await listen(gateway.admin, config.GATEWAY_ADMIN_HOST, config.GATEWAY_ADMIN_PORT, 'GATEWAY_ADMIN_PORT')
  await listen(gateway.app, config.GATEWAY_HOST, config.GATEWAY_PORT, 'GATEWAY_PORT')
  gateway.checkUpstreams()
  log.info({ port: config.GATEWAY_PORT, adminPort: config.GATEWAY_ADMIN_PORT }, 'listening')
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
function stopOnSignals(gateway: Gateway, log: Logger, drainMs: number): void {
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
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
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
    throw new Error(`Another program uses port ${port}. Stop it, or set ${variable} to another port.`, { cause })
  }
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
