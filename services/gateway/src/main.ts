import { loadGatewayConfig } from './config.ts'
import { openLog, warnOfVariables } from './program/open-log.ts'
import { countWorkers } from './workers/count-workers.ts'
import { workerArgument } from './workers/messages.ts'

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
  if (workers === 1) await (await import('./program/run-alone.ts')).runAlone(config, log)
  else await (await import('./workers/run-workers.ts')).runWorkers(config, log, workers)
}

process.on('unhandledRejection', (error) => {
  throw error
})

main().catch((error: unknown) => {
  process.stderr.write(`gateway: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
