import { fileURLToPath } from 'node:url'
import { gatewayNodeFlags } from '@tollgate/gateway/node-flags.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { Target } from './target.ts'

/** The yardstick of every run. */
export const bare = proxy('bare', 'Fastify with undici.request() and nothing else', '../proxies/bare.ts')

/** The leanest proxy: what is left of the yardstick without its conveniences. */
export const dispatch = proxy('dispatch', "node:http with undici's dispatch and nothing else", '../proxies/dispatch.ts')

/** The gateway without all that makes it one. */
export const relay = proxy(
  'relay',
  "the gateway's relay without keys, admission, settlement, log and Redis",
  '../proxies/relay.ts',
  gatewayNodeFlags
)

function proxy(name: string, description: string, file: string, ownNodeFlags: readonly string[] = []): Target {
  return {
    name,
    description,
    async start({ children, upstreamPort, core, nodeFlags }) {
      const port = await freePort()
      const child = children.startNode({
        name,
        file: fileURLToPath(new URL(file, import.meta.url)),
        args: [String(port), String(upstreamPort)],
        nodeFlags: [...ownNodeFlags, ...nodeFlags],
        core,
        servesCommands: false
      })
      return {
        port,
        child,
        model: 'bench-model',
        apiKeys: ['sk-bench'],
        helpers: {},
        redisUrl: null,
        stop: () => children.stop(child)
      }
    }
  }
}
