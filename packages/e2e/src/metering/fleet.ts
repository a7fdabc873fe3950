import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPart, type Part } from '@tollgate/cli/system/part.ts'
import { createLogFile, startProgram } from '@tollgate/cli/system/program.ts'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import type { RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { Records } from './records.ts'

/** Each upstream speaks every API that the model server has. */
const apis = ['chat', 'completions', 'embeddings', 'responses', 'messages']
const gatewayMain = fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts'))
const readyTimeoutMs = 60_000
const stopTimeoutMs = 10_000
/** Recorded requests; more than any test sends. */
const recordedRequests = 200_000

export interface FleetOptions {
  /** Number of processes. */
  gateways: number
  catalog: Catalog
  /** Awaited by the model server before each answer. */
  beforeAnswer?: () => Promise<void>
  env?: Record<string, string>
}

/** Gateway processes with one Redis and one model server. The test writes to Redis what control would write. */
export interface Fleet {
  /** `http://127.0.0.1:<port>` of each gateway. */
  urls: string[]
  /** The same for their administration, which has the metrics. */
  adminUrls: string[]
  gateways: Part[]
  /** The current process; `restartRedis` replaces it. */
  redis(): RunningRedis
  /** Replaces Redis by an empty process on the same port. */
  restartRedis(): Promise<void>
  /** The model server, in this process. It records every request and body. */
  models: RunningModels
  records: Records
  stop(): Promise<void>
}

/** Starts the fleet. @throws SystemError with the last log lines of a gateway that does not become ready */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { gateways: count, catalog, beforeAnswer = async () => {}, env = {} } = options
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-fleet-'))
  const remember = {
    records: recordedRequests,
    headers: 0,
    bodies: recordedRequests,
    bodyBytes: Number.POSITIVE_INFINITY
  }
  const models = await startModels({ port: 0, paceMs: 1, remember, beforeAnswer })
  let redis = await startRedis({ port: 0 })
  const records = await Records.open(redis.url, catalog)

  // Failing models have their own upstreams: an open circuit breaker must not affect other models.
  const entry = `base_url: '${models.baseUrl}', credential_variable: MODELS_CREDENTIAL, speaks: [${apis.join(', ')}]`
  const upstreams = ['models', 'failing', 'flaky'].map((name) => `  ${name}: { ${entry} }\n`)
  const upstreamsFile = join(directory, 'upstreams.yaml')
  const billing = `  billing: { ${entry}, abort_stops_billing: false }\n`
  writeFileSync(upstreamsFile, `upstreams:\n${upstreams.join('')}${billing}`)
  const urls: string[] = []
  const adminUrls: string[] = []
  const gateways: Part[] = []
  for (let number = 1; number <= count; number++) {
    const [port, adminPort] = [await freePort(), await freePort()]
    const log = createLogFile(join(directory, `gateway-${number}.log`))
    urls.push(`http://127.0.0.1:${port}`)
    adminUrls.push(`http://127.0.0.1:${adminPort}`)
    const variables = {
      PATH: process.env.PATH,
      ...nodeVariables(),
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      REDIS_URL: redis.url,
      UPSTREAMS_FILE: upstreamsFile,
      MODELS_CREDENTIAL: 'sandbox',
      LOG_LEVEL: 'warn',
      // An embedded Redis runs in this process and answers late while the test is busy.
      ...(redis.pid === null && { REDIS_TIMEOUT_MS: '30000' }),
      ...env
    }
    gateways.push(
      createPart({
        name: `gateway-${number}`,
        launch: async () => startProgram({ script: gatewayMain, cwd: directory, env: variables, log, stopTimeoutMs }),
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
    adminUrls,
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
