import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePorts, type Ports } from '@tollgate/cli/system/ports.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { type RunningPostgres, startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { findRedisServer, type RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { type Clocks, createClocks } from './clocks.ts'
import { type NetworkProxy, startProxy } from './proxy.ts'
import {
  type FailoverForm,
  type FailoverRedis,
  type RedisServer,
  startFailoverRedis,
  startRedisServer
} from './redis-servers.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

/** Differences from the default: two replicas of control, three gateways, 10,000 keys, correct clocks. */
export interface Conditions {
  /** One Redis server by default. */
  redisForm?: FailoverForm
  /** With several Redis servers: how long a master may be silent before a replica takes over. */
  redisDownAfterMs?: number
  controls?: number
  gateways?: number
  keys?: number
  /** Whether gateways reach Redis through a proxy that can be disturbed. Default: directly. */
  redisNetwork?: boolean
  /** Whether Redis writes to disk before it answers. For one server only. */
  redisPersists?: boolean
  /** Movable clocks, by the name of a part, `redis` or `postgres`: how many seconds each is ahead at first. */
  clocksAheadSeconds?: Readonly<Record<string, number>>
  /** More variables of all services. */
  variables?: Readonly<Record<string, string>>
  /** The plan of all accounts whose traffic every fault has; `free` by default. */
  plan?: string
  /** The monthly budget of the plan `free`, USD. More than anybody spends by default. */
  freeMonthUsd?: number
  /** Whether the database has its own disk, which can be filled. */
  smallDisk?: boolean
  /** Starts a pooler between control and the database. */
  startPooler?: (databaseUrl: string, directory: string) => Promise<Pooler>
}

/** A connection pooler between control and its database. */
export interface Pooler {
  /** The URL that control uses instead of the database's. */
  url: string
  stop(): Promise<void>
}

/** The servers that services of a chaos system use. */
export interface Servers {
  readonly clocks: Clocks
  /** The database's own disk; null if it has none. */
  readonly disk: SmallDisk | null
  readonly postgres: RunningPostgres
  /** Where services reach the database: its own address, or that of a pooler. */
  readonly databaseUrl: string
  /** Null with several Redis servers. */
  readonly redis: RedisServer | null
  /** Null with one Redis server. */
  readonly failoverRedis: FailoverRedis | null
  readonly redisUrl: string
  readonly models: RunningModels
  /** Keeps the model server from answering. @returns a function that lets it answer again */
  holdAnswers(): () => void
  readonly receiver: WebhookReceiver
  /** For files. Removed at the end. */
  readonly directory: string
}

/**
 * Starts the servers.
 *
 * @param parts stops them
 * @returns null without a Redis program or PostgreSQL on this machine
 */
export async function startServers(conditions: Conditions, parts: AsyncDisposableStack): Promise<Servers | null> {
  const program = findRedisServer(process.env)
  if (program === null) return null
  const clocks = createClocks(conditions.clocksAheadSeconds ?? {})
  parts.defer(() => clocks.stop())
  const disk = conditions.smallDisk === true ? mountSmallDisk() : null
  if (disk !== null) parts.defer(() => disk.stop())
  const postgres = await startPostgres({
    parent: disk?.directory,
    variables: clocks.ofServer('postgres'),
    settings: { max_connections: '200' }
  })
  if (postgres === null) return null
  parts.defer(() => postgres.stop())
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'))
  parts.defer(() => rmSync(directory, { recursive: true }))
  const pooler = await conditions.startPooler?.(postgres.url, directory)
  if (pooler !== undefined) parts.defer(() => pooler.stop())
  const receiver = await startWebhookReceiver(() => clocks.aheadOf('receiver'))
  parts.defer(() => receiver.close())
  return {
    clocks,
    disk,
    postgres,
    databaseUrl: pooler?.url ?? postgres.url,
    ...(await startRedis(program, directory, clocks, conditions, parts)),
    ...(await startHeldModels(parts)),
    receiver,
    directory
  }
}

async function startRedis(
  program: RedisProgram,
  directory: string,
  clocks: Clocks,
  { redisForm, redisDownAfterMs, redisPersists }: Conditions,
  parts: AsyncDisposableStack
): Promise<Pick<Servers, 'redis' | 'failoverRedis' | 'redisUrl'>> {
  if (redisForm === undefined) {
    const options = { persists: redisPersists, variables: clocks.ofServer('redis') }
    const redis = await startRedisServer(program, directory, options)
    parts.defer(() => redis.stop())
    return { redis, failoverRedis: null, redisUrl: redis.url }
  }
  const failoverRedis = await startFailoverRedis(redisForm, program, redisDownAfterMs)
  parts.defer(() => failoverRedis.stop())
  return { redis: null, failoverRedis, redisUrl: failoverRedis.url }
}

async function startHeldModels(parts: AsyncDisposableStack): Promise<Pick<Servers, 'models' | 'holdAnswers'>> {
  let answers = Promise.resolve()
  const remember = { records: 1_000_000, headers: 0, bodies: 0 }
  const models = await startModels({ port: 0, paceMs: 0, remember, beforeAnswer: () => answers })
  parts.defer(() => models.close())
  return {
    models,
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>()
      answers = promise
      return resolve
    }
  }
}

/** The proxies between services and servers. */
export interface Network {
  /** Of each replica of a service, by its name. */
  readonly proxies: ReadonlyMap<string, { readonly redis: NetworkProxy; readonly database: NetworkProxy }>
  /** Two between gateways and the model server. */
  readonly upstream: NetworkProxy
  readonly counted: NetworkProxy
  /** Between control and the mail server. */
  readonly mail: NetworkProxy
  /** For the services and the mail server. */
  readonly ports: Ports
  /** Starts another proxy. */
  connect(...targets: number[]): Promise<NetworkProxy>
}

/**
 * Starts the proxies.
 *
 * @param names of the replicas of all services
 * @param parts stops them
 */
export async function startNetwork(
  { redis, databaseUrl, models }: Servers,
  names: readonly string[],
  parts: AsyncDisposableStack
): Promise<Network> {
  const connect = async (...targets: number[]) => parts.adopt(await startProxy(...targets), (proxy) => proxy.close())
  const proxies = new Map<string, { redis: NetworkProxy; database: NetworkProxy }>()
  for (const name of names) {
    // With failover, clients use the servers' own addresses.
    const toRedis = await connect(...(redis === null ? [] : [redis.port]))
    proxies.set(name, { redis: toRedis, database: await connect(Number(new URL(databaseUrl).port)) })
  }
  const upstream = await connect(models.port)
  const countedModels = await connect(models.port)
  const ports = await choosePorts()
  return { proxies, upstream, counted: countedModels, mail: await connect(ports.SANDBOX_SMTP_PORT), ports, connect }
}
