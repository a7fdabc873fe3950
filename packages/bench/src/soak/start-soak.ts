import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { Bench } from '../bench.ts'
import { type Child, callChild, isRunning } from '../children.ts'
import { Inspector } from '../measure/profile.ts'
import { fillRedis } from '../targets/gateway-state.ts'
import { soakCatalog } from './catalog.ts'
import type { SoakUpstreamCommand } from './run-soak-upstream.ts'

const gatewayMain = fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts'))
const upstreamMain = fileURLToPath(new URL('./run-soak-upstream.ts', import.meta.url))
const upstreamsFile = fileURLToPath(new URL('./upstreams.yaml', import.meta.url))
const credential = 'the-upstreams-key'
const startTimeoutMs = 60_000

/** The gateway with Redis and a model server that fails on request. */
export interface SoakSystem {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** The URL of the gateway's metrics. */
  metricsUrl: string
  apiKey: string
  gateway: Child
  inspector: Inspector
  /** null if Redis runs in this process. */
  redisPid: number | null
  upstream(command: SoakUpstreamCommand): Promise<unknown>
  stop(): Promise<void>
}

/** @throws Error with the gateway's last output if it does not become ready */
export async function startSoak(bench: Bench): Promise<SoakSystem> {
  const upstreamChild = bench.children.startNode({
    name: 'soak upstream',
    file: upstreamMain,
    core: null,
    servesCommands: true
  })
  const upstream = (command: SoakUpstreamCommand) => callChild<SoakUpstreamCommand>(upstreamChild.process, command)
  const upstreamPort = await freePort()
  await upstream({ kind: 'listen', port: upstreamPort, apiKey: credential })
  const redis = await startRedis({ port: 0 })
  bench.children.alsoStop(() => redis.stop())
  const [apiKey] = await fillRedis(redis.url, { catalog: soakCatalog, accounts: 1 })
  const [port, adminPort, inspectPort] = [await freePort(), await freePort(), await freePort()]
  const gateway = bench.startMeasured(
    'gateway',
    gatewayMain,
    {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      GATEWAY_PORT: String(port),
      GATEWAY_ADMIN_PORT: String(adminPort),
      REDIS_URL: redis.url,
      UPSTREAMS_FILE: upstreamsFile,
      SOAK_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}/v1`,
      SOAK_CREDENTIAL: credential,
      // Lets invalid keys come from many addresses, because each address has a rate limit.
      TRUST_PROXY: 'true'
    },
    [`--inspect=127.0.0.1:${inspectPort}`]
  )
  const admin = `http://127.0.0.1:${adminPort}`
  await untilReady(gateway, `${admin}/readyz`)
  const inspector = await Inspector.connect(inspectPort)
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `${admin}/metrics`,
    apiKey: apiKey!,
    gateway,
    inspector,
    redisPid: redis.pid,
    upstream,
    async stop() {
      inspector.close()
      await bench.children.stop(gateway)
      await Promise.all([bench.children.stop(upstreamChild), redis.stop()])
    }
  }
}

async function untilReady(gateway: Child, url: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  while (performance.now() < deadline && isRunning(gateway)) {
    const answer = await fetch(url).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await delay(50)
  }
  throw new Error(`The gateway did not become ready. Its last output:\n${gateway.output()}`)
}
