import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findRedisServer, type RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { controlEnv, type EnvOptions, embeddedServerEnv, gatewayEnv, modelsKey, paymentsEnv } from './child-env.ts'
import type { Variables } from './embedded.ts'
import { createPart, type Part, type ReadyCheck } from './part.ts'
import type { ProcessPorts, ServicePorts } from './ports.ts'
import { createLogFile, type Running, startProgram } from './program.ts'
import { SystemError } from './system-error.ts'

/** The timeout for the in-memory Redis, in ms. It is slower, and waits while this process is busy. */
const inProcessRedisMs = '10000'
/** A gateway first finishes its requests. */
const stopTimeoutMs = 10_000

export interface PartsOptions extends EnvOptions, ServicePorts {
  envOf?(part: string): Variables
  scriptOf?(part: string): string | undefined
  onLine?(part: string, line: string): void
  onCrash?(part: string, how: string): void
  /** How long a part may take until it is ready. */
  readyTimeoutMs: number
  /** After this time a part counts as slow. */
  slowAfterMs: number
  onSlow?(part: string): void
}

/** Groups of parts. Each group uses only the groups before it. */
export type Layers = readonly (readonly Part[])[]

/** Creates the parts of a system, not started yet. */
export function createParts(options: PartsOptions): Layers {
  const { embedded, addresses, dataDir, controlPorts, gatewayPorts } = options
  const logDir = join(dataDir, 'logs')
  mkdirSync(logDir, { recursive: true })
  const redisProgram = embedded.has('redis') ? findRedisServer(options.env) : null
  const redis = embedded.has('redis') ? [redisPart(options, redisProgram)] : []
  const gatewayDefaults = embedded.has('redis') && redisProgram === null ? { REDIS_TIMEOUT_MS: inProcessRedisMs } : {}
  const embeddedServers: Part[] = []
  if (embedded.has('identity')) {
    embeddedServers.push(
      program('identity', '@tollgate/sandbox/identity/run-identity.ts', embeddedServerEnv(options), {
        url: `${addresses.identity}/auth/v1/.well-known/jwks.json`
      })
    )
  }
  if (addresses.payments !== null) {
    embeddedServers.push(
      program('payments', '@tollgate/sandbox/payments/run-payments.ts', paymentsEnv(options), {
        url: `${addresses.payments}/v1/prices?limit=1`,
        headers: { authorization: `Bearer ${options.secrets.stripeKey}` }
      })
    )
  }
  if (embedded.has('models')) {
    embeddedServers.push(
      program('models', '@tollgate/sandbox/models/run-models.ts', embeddedServerEnv(options), {
        url: `${addresses.models}/v1/models`,
        headers: { authorization: `Bearer ${modelsKey}` }
      })
    )
  }
  const controls = controlPorts.map((ports, index) =>
    program(numbered('control', index), '@tollgate/control/main.ts', controlEnv(options, ports), readyAt(ports))
  )
  const gateways = gatewayPorts.map((ports, index) =>
    program(
      numbered('gateway', index),
      '@tollgate/gateway/main.ts',
      { ...gatewayDefaults, ...gatewayEnv(options, ports) },
      readyAt(ports)
    )
  )
  return [redis, embeddedServers, controls, gateways]

  function program(name: string, script: string, env: Variables, ready: ReadyCheck): Part {
    const log = createLogFile(join(logDir, `${name}.log`))
    return createPart({
      name,
      launch: async () =>
        startProgram({
          script: options.scriptOf?.(name) ?? fileURLToPath(import.meta.resolve(script)),
          cwd: process.cwd(),
          env: { ...env, ...options.envOf?.(name) },
          log,
          stopTimeoutMs
        }),
      ready,
      readyTimeoutMs: options.readyTimeoutMs,
      slowAfterMs: options.slowAfterMs,
      onSlow: () => options.onSlow?.(name),
      log,
      onLine: (line) => options.onLine?.(name, line),
      onCrash: (how) => options.onCrash?.(name, how)
    })
  }
}

const readyAt = ({ adminPort }: ProcessPorts): ReadyCheck => ({ url: `http://127.0.0.1:${adminPort}/readyz` })

const numbered = (name: string, index: number): string => (index === 0 ? name : `${name}-${index + 1}`)

/** Redis runs as a child process, or inside this process if no Redis is installed. */
function redisPart({ ports, dataDir, onCrash, readyTimeoutMs }: PartsOptions, program: RedisProgram | null): Part {
  return createPart({
    name: 'redis',
    async launch(): Promise<Running> {
      try {
        const { pid, ended, kill, stop } = await startRedis({
          port: ports.SANDBOX_REDIS_PORT,
          dataDir: join(dataDir, 'redis'),
          program
        })
        return { pid, ended: ended.then(() => undefined), kill, stop }
      } catch (error) {
        throw new SystemError(`redis did not start: ${error instanceof Error ? error.message : error}`, {
          cause: error
        })
      }
    },
    ready: null,
    readyTimeoutMs,
    log: null,
    onCrash: (how) => onCrash?.('redis', how)
  })
}
