import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { loadPrettyLines } from '@tollgate/service/log/log-lines.ts'
import type { Logger } from 'pino'
import pino from 'pino'
import { type GatewayConfig, loadGatewayConfig } from './config.ts'
import { createLogOutput } from './telemetry/log-output.ts'
import { workerArgument } from './workers/messages.ts'
import { countWorkers } from './workers/worker-pool.ts'

/** Runs the gateway in this process, or in several that this process starts. Each loads only the code that it needs. */
async function main(): Promise<void> {
  // Without a listener, the signal would end the process. It may arrive at any time.
  process.on('SIGHUP', () => {})
  const config = loadGatewayConfig(process.env)
  const log = await openLog(config)
  if (process.argv[2] === workerArgument) {
    await (await import('./workers/run-worker.ts')).runWorker(config, log)
    return
  }
  warnOfVariables(log)
  const workers = countWorkers(config.GATEWAY_WORKERS)
  if (workers === 1) await (await import('./program/open-gateway.ts')).runAlone(config, log)
  else await (await import('./workers/run-workers.ts')).runWorkers(config, log, workers)
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})

/** Opens the log of this process, which is written to its end when the process ends. */
async function openLog({ LOG_FORMAT: format, LOG_LEVEL: level }: GatewayConfig): Promise<Logger> {
  const output = createLogOutput(format === 'pretty' ? await loadPrettyLines(process.stdout.isTTY === true) : null)
  process.on('exit', () => output.end())
  return pino({ level, name: 'gateway' }, output)
}

/** Warns of variables that are probably misspelt. */
function warnOfVariables(log: Logger): void {
  for (const warning of findUnknownVariables(process.env)) log.warn(warning)
}
