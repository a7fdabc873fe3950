import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogFile } from '@tollgate/cli/system/log-file.ts'
import { createPart, type Part } from '@tollgate/cli/system/part.ts'
import { startProgram } from '@tollgate/cli/system/program.ts'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { nodeVariables } from '@tollgate/sandbox/node-variables.ts'
import type { RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { Records } from './records.ts'

const gatewayMain = fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts'))
const readyTimeoutMs = 60_000
const stopTimeoutMs = 10_000
/** More than any test sends. */
const remembered = 200_000

export type FleetOptions = {
  /** Processes. */
  gateways: number
  catalog: Catalog
  /** Awaited by the model server before each answer. */
  beforeAnswer?: () => Promise<void>
  env?: Record<string, string>
}

/** Gateway processes on one Redis, which holds what control would have written, before one model server. */
export type Fleet = {
  /** `http://127.0.0.1:<port>` of each gateway. */
  urls: string[]
  gateways: Part[]
  /** The present one: it changes with `restartRedis`. */
  redis(): RunningRedis
  /** Another process on the same port, which is empty. */
  restartRedis(): Promise<void>
  /** In this process; it remembers every request and every body. */
  models: RunningModels
  records: Records
  stop(): Promise<void>
}

/** @throws SystemError with a gateway's last lines if it does not become ready */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { gateways: count, catalog, beforeAnswer = async () => {}, env = {} } = options
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-fleet-'))
  const remember = { records: remembered, headers: 0, bodies: remembered, bodyBytes: Number.POSITIVE_INFINITY }
  const models = await startModels({ port: 0, paceMs: 1, remember, beforeAnswer })
  let redis = await startRedis({ port: 0 })
  const records = await Records.open(redis.url, catalog)

  // Upstreams that fail are left alone for a while: the others are not to suffer from it.
  const upstreams = ['models', 'failing', 'flaky'].map(
    (name) => `  ${name}: { base_url: '${models.baseUrl}', credential_variable: MODELS_CREDENTIAL }\n`
  )
  const upstreamsFile = join(directory, 'upstreams.yaml')
  const billing = `{ base_url: '${models.baseUrl}', credential_variable: MODELS_CREDENTIAL, abort_stops_billing: false }`
  writeFileSync(upstreamsFile, `upstreams:\n${upstreams.join('')}  billing: ${billing}\n`)
  const urls: string[] = []
  const gateways: Part[] = []
  for (let number = 1; number <= count; number++) {
    const [port, adminPort] = [await freePort(), await freePort()]
    const log = createLogFile(join(directory, `gateway-${number}.log`))
    urls.push(`http://127.0.0.1:${port}`)
    const variables = {
      PATH: process.env.PATH,
      ...nodeVariables(),
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      REDIS_URL: redis.url,
      UPSTREAMS_FILE: upstreamsFile,
      MODELS_CREDENTIAL: 'sandbox',
      LOG_LEVEL: 'warn',
      // A Redis in this process waits while the test is busy.
      ...(redis.pid === null && { REDIS_TIMEOUT_MS: '30000' }),
      ...env
    }
    gateways.push(
      createPart({
        name: `gateway-${number}`,
        launch: async () =>
          startProgram({ script: gatewayMain, nodeArgs: [], cwd: directory, env: variables, log, stopTimeoutMs }),
        ready: { url: `http://127.0.0.1:${adminPort}/readyz` },
        readyTimeoutMs,
        log
      })
    )
  }

  async function stop(): Promise<void> {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await Promise.all([models.close(), records.close()])
    await redis.stop()
    rmSync(directory, { recursive: true })
  }
  try {
    await Promise.all(gateways.map((gateway) => gateway.start()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls,
    gateways,
    redis: () => redis,
    async restartRedis() {
      const { port } = redis
      await redis.kill('SIGKILL')
      redis = await startRedis({ port })
    },
    models,
    records,
    stop
  }
}
