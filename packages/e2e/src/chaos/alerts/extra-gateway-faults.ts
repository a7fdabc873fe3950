import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePackage } from '@tollgate/packaging/make-package.ts'
import { packagePlans } from '@tollgate/packaging/packages.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import type { Sql } from 'postgres'
import { scrape } from '../../monitoring/scrape.ts'
import { rawChat } from '../traffic/raw-chat.ts'
import { sendSteadily } from '../traffic/send-steadily.ts'
import type { AlertFault } from './alert-fault.ts'
import { startExtraGateway } from './extra-gateway.ts'

const gatewayWithFewFiles = fileURLToPath(new URL('./gateway-with-few-files.ts', import.meta.url))
/** Above the alert's 80 %. The rest is for Prometheus. */
const usedFiles = 0.9
/** The minimum. An account's share of it takes about 200 receipts. */
const receiptsMemoryMb = '16'
const loggedPerSecond = 20
const loggedQuestion = { model: 'quick', messages: [{ role: 'user', content: 'Say 1 word.' }] }

/** Faults of gateways that differ from those of the system: each starts its own. */
export const extraGatewayAlertFaults: readonly AlertFault[] = [
  {
    summary: 'idle clients take 90 % of the files of a gateway',
    raises: ['FilesNearLimit'],
    missing: () => (findProgram(['prlimit']) === null ? 'this machine has no prlimit (Debian: util-linux)' : null),
    async inject(system, _settings, prometheus) {
      const gateway = await startExtraGateway(system, prometheus, { script: gatewayWithFewFiles })
      const files = await scrape([gateway.adminUrl])
      const free = Math.floor(usedFiles * files.get('process_max_fds')!) - files.get('process_open_fds')!
      const closeAll = await openConnections(gateway.url, free)
      return async () => {
        closeAll()
        await gateway.stop()
      }
    }
  },
  {
    summary: 'a worker of a gateway is killed',
    raises: ['WorkerEnded'],
    missing: () =>
      ['linux', 'freebsd'].includes(process.platform) ? null : 'this system does not let workers share a port',
    async inject(system, _settings, prometheus) {
      const gateway = await startExtraGateway(system, prometheus, { variables: { GATEWAY_WORKERS: '2' } })
      const { workers } = (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as { workers: WorkerState[] }
      process.kill(workers.find(({ ready }) => ready)!.pid, 'SIGKILL')
      return gateway.stop
    }
  },
  {
    summary: 'an upgrade stops after its first gateway',
    raises: ['VersionSkew'],
    async inject(system, _settings, prometheus) {
      await using parts = new AsyncDisposableStack()
      const directory = mkdtempSync(join(tmpdir(), 'tollgate-next-'))
      parts.defer(() => rmSync(directory, { recursive: true }))
      const script = await makeNextRelease(directory)
      parts.defer((await startExtraGateway(system, prometheus, { script })).stop)
      const started = parts.move()
      return () => started.disposeAsync()
    }
  },
  {
    summary: 'an account fills its memory for receipts while the request log is locked',
    raises: ['ReceiptsDropped'],
    async inject(system, _settings, prometheus) {
      await using parts = new AsyncDisposableStack()
      const variables = { REQUEST_LOG_MEMORY_MB: receiptsMemoryMb }
      const gateway = await startExtraGateway(system, prometheus, { variables })
      parts.defer(gateway.stop)
      parts.defer(await lockRequestLog(system.sql))
      const [key] = system.accounts[0]!.keys
      const requests = sendSteadily(loggedPerSecond, async () => {
        await rawChat(gateway.url, key!, loggedQuestion)
      })
      parts.defer(requests.stop)
      const started = parts.move()
      return () => started.disposeAsync()
    }
  }
]

/** Keeps control from copying receipts. The log can still be read. @returns ends this */
async function lockRequestLog(sql: Sql): Promise<() => Promise<void>> {
  const connection = await sql.reserve()
  await connection`begin`
  await connection`lock table requests in exclusive mode`
  return async () => {
    await connection`rollback`
    connection.release()
  }
}

interface WorkerState {
  pid: number
  ready: boolean
}

/** Opens connections that send nothing. @returns closes them */
async function openConnections(url: string, count: number): Promise<() => void> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // The gateway closes them after a while.
  for (const socket of sockets) socket.on('error', () => undefined)
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** Makes the package of a gateway with another version. A package reads it from its `package.json`. @returns its program */
async function makeNextRelease(directory: string): Promise<string> {
  await makePackage(packagePlans.find(({ name }) => name === 'gateway')!, directory)
  const file = join(directory, 'package.json')
  const description = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  writeFileSync(file, JSON.stringify({ ...description, version: `${description.version}-next` }))
  return join(directory, 'main.js')
}
