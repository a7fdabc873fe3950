import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { createAdminServer } from '@tollgate/service/http/admin-server.ts'
import { listen } from '@tollgate/service/http/listen.ts'
import type { Logger } from 'pino'
import type { GatewayConfig } from '../config.ts'
import { createLogOutput, type LogOutput } from '../telemetry/log-output.ts'
import { JoinedMetrics, joinReadiness } from './joined.ts'
import { workerArgument } from './messages.ts'
import { WorkerPool } from './worker-pool.ts'

/**
 * Starts gateways that share one port, and serves one admin port for all of them. Resolves when all listen.
 *
 * @param count how many
 */
export async function runWorkers(config: GatewayConfig, log: Logger, count: number): Promise<void> {
  const { GATEWAY_ADMIN_HOST: adminHost, GATEWAY_ADMIN_PORT: adminPort } = config
  const { GATEWAY_HOST: host, GATEWAY_PORT: port } = config
  await checkSharedPort(host, port)
  // The lines of workers have their format already.
  const output = createLogOutput(null)
  process.on('exit', () => output.end())
  const metrics = new JoinedMetrics(() => pool.askAll(true))
  const pool = new WorkerPool({
    count,
    log,
    start: () => startWorker(output),
    onEnd: (lastMetrics) => metrics.workerEnded(lastMetrics),
    onRestart: () => metrics.workerRestarted(),
    onKill: () => metrics.workerKilled()
  })
  const readiness = async () => joinReadiness(await pool.askAll(false), pool.isStopping)
  const admin = createAdminServer({ registry: metrics, readiness })
  obeySignals(pool, log, () => admin.close())
  await listen(admin, { host: adminHost, port: adminPort, portVariable: 'GATEWAY_ADMIN_PORT' })
  await pool.start()
  if (!pool.isStopping) log.info({ port, adminPort, workers: count }, 'listening')
}

/** Starts this program again, as a worker. */
function startWorker(output: LogOutput): ChildProcess {
  const child = fork(process.argv[1]!, [workerArgument], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  // A process that could not be started has no output.
  if (child.stdout !== null && child.stdout !== undefined) passWholeLines(child.stdout, (lines) => output.write(lines))
  return child
}

/** The first stop signal lets requests finish. The second ends them. */
function obeySignals(pool: WorkerPool, log: Logger, onStopped: () => Promise<unknown>): void {
  async function stop(): Promise<void> {
    const isFirst = !pool.isStopping
    log.info(isFirst ? 'stopping: waiting for the workers' : 'second stop signal: ending requests in flight now')
    await pool.stop()
    if (isFirst) await onStopped()
  }
  process.on('SIGTERM', () => void stop())
  process.on('SIGINT', () => void stop())
  process.on('SIGHUP', () => pool.sendAll({ kind: 'reload' }))
}

/**
 * Checks that workers can share a port. They would also share it with workers of another gateway, without an error.
 *
 * @throws Error that says what to do if the port is taken, or if this system lets no processes share one
 */
async function checkSharedPort(host: string, port: number): Promise<void> {
  await tryPort(host, port, false)
  try {
    await tryPort(host, port, true)
  } catch (cause) {
    throw new Error(
      'GATEWAY_WORKERS: this system does not let processes share a port; Linux and FreeBSD do. Set GATEWAY_WORKERS=1, ' +
        'and start several gateways on ports of their own.',
      { cause }
    )
  }
}

async function tryPort(host: string, port: number, reusePort: boolean): Promise<void> {
  const server = createServer()
  await listen(
    {
      async listen(options) {
        server.listen(options)
        await once(server, 'listening')
        return ''
      }
    },
    { host, port, portVariable: 'GATEWAY_PORT', reusePort }
  )
  server.close()
  await once(server, 'close')
}

/** A longer line is passed on in parts. */
const maxLineCharacters = 1024 * 1024

/**
 * Passes on the lines of a process, whole ones only. Several processes that write to one pipe would mix long lines.
 *
 * @param write gets one or more lines, each with its line break
 */
export function passWholeLines(output: Readable, write: (lines: string) => void): void {
  let rest = ''
  output.setEncoding('utf8')
  output.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      write(rest + text.slice(0, end))
      rest = text.slice(end)
    } else rest += text
    if (rest.length <= maxLineCharacters) return
    write(rest)
    rest = ''
  })
  output.on('end', () => {
    if (rest !== '') write(`${rest}\n`)
  })
}
