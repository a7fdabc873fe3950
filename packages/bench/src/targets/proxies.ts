import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { Target } from './target.ts'

/** The proxy that every run compares with. */
export const bare = proxy('bare', 'only Fastify with undici.request()', '../proxies/bare.ts')

/** About the cheapest proxy in Node. */
export const dispatch = proxy('dispatch', "only node:http with undici's dispatch", '../proxies/dispatch.ts')

/** The gateway's relay alone. */
export const relay = proxy(
  'relay',
  "the gateway's relay without keys, admission, settlement, log and Redis",
  '../proxies/relay.ts',
  [pathOf('./upstreams.yaml')]
)

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

function proxy(name: string, description: string, file: string, args: readonly string[] = []): Target {
  return {
    name,
    description,
    async start({ children, upstreamPort, core, nodeFlags }) {
      const port = await freePort()
      const child = children.startNode({
        name,
        file: pathOf(file),
        args: [String(port), String(upstreamPort), ...args],
        nodeFlags,
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
