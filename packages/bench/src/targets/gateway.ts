import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { Rung } from '../proxies/rungs.ts'
import { fillRedis, type GatewayState, model } from './gateway-state.ts'
import type { RunningTarget, Target, TargetContext } from './proxies.ts'

const main = fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts'))
const rungProgram = fileURLToPath(new URL('../proxies/rung.ts', import.meta.url))
const upstreamsFile = fileURLToPath(new URL('./upstreams.yaml', import.meta.url))

/** The gateway with one account and one key. */
export const gateway = gatewayWith({ accounts: 1 })

/**
 * The gateway as operators run it: the service, a real Redis, and in Redis the state that control would write.
 *
 * @param file its program: the sources by default
 */
export function gatewayWith(state: GatewayState, file = main): Target {
  return withRedis('gateway', 'the service itself, with Redis', state, async (context, redisUrl) => {
    const [port, adminPort] = [await freePort(), await freePort()]
    const child = context.children.startNode({
      name: 'gateway',
      file,
      nodeFlags: context.nodeFlags,
      // Without this process's environment, so that figures do not depend on it.
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        GATEWAY_PORT: String(port),
        GATEWAY_ADMIN_PORT: String(adminPort),
        REDIS_URL: redisUrl,
        UPSTREAMS_FILE: upstreamsFile,
        BENCH_UPSTREAM_URL: `http://127.0.0.1:${context.upstreamPort}/v1`,
        BENCH_CREDENTIAL: 'the-upstreams-key'
      },
      core: context.core,
      servesCommands: false
    })
    return { port, child }
  })
}

/** The gateway's relay alone: the first rung. */
export const relay = rungTarget('relay')

/** The gateway with its parts up to one: see `proxies/rung.ts`. */
export function rungTarget(rung: Rung): Target {
  return withRedis(rung, `the gateway with its parts up to ${rung}`, { accounts: 1 }, async (context, redisUrl) => {
    const port = await freePort()
    const child = context.children.startNode({
      name: rung,
      file: rungProgram,
      args: [rung, String(port), String(context.upstreamPort), upstreamsFile, redisUrl],
      nodeFlags: context.nodeFlags,
      core: context.core,
      servesCommands: false
    })
    return { port, child }
  })
}

function withRedis(
  name: string,
  description: string,
  state: GatewayState,
  startProgram: (context: TargetContext, redisUrl: string) => Promise<Pick<RunningTarget, 'port' | 'child'>>
): Target {
  return {
    name,
    description,
    async start(context) {
      const redis = await startRedis({ port: 0 })
      context.children.alsoStop(() => redis.stop())
      const apiKeys = await fillRedis(redis.url, state)
      const { port, child } = await startProgram(context, redis.url)
      return {
        port,
        child,
        model,
        apiKeys,
        // The in-memory Redis runs in this process.
        helpers: redis.pid === null ? {} : { [redis.kind]: redis.pid },
        redisUrl: redis.pid === null ? null : redis.url,
        async stop() {
          await context.children.stop(child)
          await redis.stop()
        }
      }
    }
  }
}
