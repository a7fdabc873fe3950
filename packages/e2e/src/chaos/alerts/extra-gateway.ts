import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPart } from '@tollgate/cli/system/part.ts'
import { anotherFreePort } from '@tollgate/cli/system/ports.ts'
import { createLogFile, startProgram } from '@tollgate/cli/system/program.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { RunningPrometheus } from './prometheus.ts'

const readyTimeoutMs = 60_000
const stopTimeoutMs = 10_000

/** A gateway beside those of the system. Only Prometheus and its fault use it, so the fault breaks no other request. */
export interface ExtraGateway {
  url: string
  adminUrl: string
  /** Ends its scraping, then the gateway. */
  stop(): Promise<void>
}

/** Starts a gateway with more variables that Prometheus scrapes, too. Resolves when it is ready and was scraped. */
export async function startExtraGateway(
  { env, system }: ChaosSystem,
  prometheus: RunningPrometheus,
  variables: Readonly<Record<string, string>>
): Promise<ExtraGateway> {
  await using parts = new AsyncDisposableStack()
  const taken = new Set<number>()
  const [port, adminPort] = [await anotherFreePort(taken), await anotherFreePort(taken)]
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const log = createLogFile(join(system.dataDir, 'logs', 'extra-gateway.log'))
  const part = createPart({
    name: 'the extra gateway',
    launch: async () =>
      startProgram({
        script: fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts')),
        cwd: process.cwd(),
        env: { ...env, GATEWAY_PORT: String(port), GATEWAY_ADMIN_PORT: String(adminPort), ...variables },
        log,
        stopTimeoutMs
      }),
    ready: { url: `${adminUrl}/readyz` },
    readyTimeoutMs,
    log
  })
  await part.start()
  parts.defer(part.stop)
  parts.defer(await prometheus.scrapeAlso('tollgate-gateway', adminUrl))
  const started = parts.move()
  return { url: `http://127.0.0.1:${port}`, adminUrl, stop: () => started.disposeAsync() }
}
