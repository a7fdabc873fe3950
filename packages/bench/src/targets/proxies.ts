import { fileURLToPath } from 'node:url'
import type { Target } from './target.ts'

/** The yardstick of every run. */
export const bare = proxy('bare', 'Fastify with undici.request() and nothing else', '../proxies/bare.ts')

/** The leanest proxy: what is left of the yardstick without its conveniences. */
export const dispatch = proxy('dispatch', "node:http with undici's dispatch and nothing else", '../proxies/dispatch.ts')

function proxy(name: string, description: string, file: string): Target {
  return {
    name,
    description,
    async start({ children, upstreamPort, core, nodeFlags, takePort }) {
      const port = await takePort()
      const child = children.startNode({
        name,
        file: fileURLToPath(new URL(file, import.meta.url)),
        args: [String(port), String(upstreamPort)],
        nodeFlags: [...nodeFlags],
        core,
        servesCommands: false
      })
      return {
        port,
        child,
        model: 'bench-model',
        apiKey: 'sk-bench',
        helpers: {},
        stop: () => children.stop(child)
      }
    }
  }
}
