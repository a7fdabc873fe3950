import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { Child, Children } from '../children.ts'

/** The proxy that every run compares with. */
export const bare = proxy('bare', 'only Fastify with undici.request()', '../proxies/bare.ts')

/** About the cheapest proxy in Node. */
export const dispatch = proxy('dispatch', "only node:http with undici's dispatch", '../proxies/dispatch.ts')

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

function proxy(name: string, description: string, file: string): Target {
  return {
    name,
    description,
    async start({ children, upstreamPort, core, nodeFlags }) {
      const port = await freePort()
      const child = children.startNode({
        name,
        file: pathOf(file),
        args: [String(port), String(upstreamPort)],
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

/** The bench's services for a target. */
export interface TargetContext {
  children: Children
  upstreamPort: number
  /** The core for the measured process; null leaves it unpinned. */
  core: number | null
  /** Flags for the measured Node process, such as `--inspect`. */
  nodeFlags: readonly string[]
}

/** A started proxy. It may not answer yet. */
export interface RunningTarget {
  port: number
  /** The measured process. */
  child: Child
  /** The model of its requests. */
  model: string
  /** At least one API key, all of the same length. Requests are spread over them evenly. */
  apiKeys: readonly string[]
  /** Helper processes, such as Redis: name → process id. Their CPU time is shown separately. */
  helpers: Record<string, number>
  /** The URL of its Redis, if that counts its commands; else null. */
  redisUrl: string | null
  stop(): Promise<void>
}

/** A proxy that can be measured: accepts `POST /v1/chat/completions` and passes it to the upstream of the bench. */
export interface Target {
  name: string
  /** A line at the top of the report. */
  description: string
  start(context: TargetContext): Promise<RunningTarget>
}
