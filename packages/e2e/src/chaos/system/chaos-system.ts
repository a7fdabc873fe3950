import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Part } from '@tollgate/cli/system/part.ts'
import { choosePorts } from '@tollgate/cli/system/ports.ts'
import { type System, type SystemOptions, startSystem } from '@tollgate/cli/system/system.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import { type RunningModels, startModels } from '@tollgate/sandbox/models/start-models.ts'
import { type RunningPostgres, startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { Person } from '../../person.ts'
import { writeCatalog, writeUpstreams } from './catalog.ts'
import { type Clocks, createClocks } from './clocks.ts'
import { type NetworkProxy, startProxy } from './proxy.ts'
import {
  type FailoverForm,
  type FailoverRedis,
  type RedisServer,
  startFailoverRedis,
  startRedisServer
} from './redis-servers.ts'
import { type SeededAccount, seedAccounts, untilProjected } from './seed.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const keysEach = 10
const maxLines = 50
/** The log line of a request, which `lines` leaves out. */
const requestLine = '"msg":"request"'
const projectedTimeoutMs = 120_000

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

/** A process of a service and the proxy between it and Redis. For gateways see {@link Conditions}. */
export interface Replica {
  part: Part
  url: string
  adminUrl: string
  redis: NetworkProxy
}
export interface ControlReplica extends Replica {
  database: NetworkProxy
}
export type GatewayReplica = Replica

/** The whole system of real servers and processes. Each can be killed, suspended and cut off. */
export interface ChaosSystem {
  system: System
  /** The variables of all its services. */
  env: SystemOptions['env']
  /** Changes variables of all services. Each has them from its next start on. */
  changeVariables(variables: Readonly<Record<string, string>>): void
  controls: readonly ControlReplica[]
  gateways: readonly GatewayReplica[]
  /** The load balancer before all gateways. It skips gateways that refuse connections. */
  balancer: NetworkProxy
  readonly redis: RedisServer
  /** Only with several Redis servers. */
  readonly failoverRedis: FailoverRedis
  /** The movable clocks of {@link Conditions}. */
  clocks: Clocks
  /** Directly to Redis, without a proxy. */
  link: RedisLink
  postgres: RunningPostgres
  /** The database's own disk, if it has one. */
  readonly disk: SmallDisk
  /** Directly to the database. */
  sql: Sql
  /** The model server, in this process. It records every request. */
  models: RunningModels
  /** Keeps the model server from answering. @returns a function that lets it answer again */
  holdAnswers(): () => void
  /** The proxy between gateways and the model server. */
  upstream: NetworkProxy
  /** The same for the upstream `counted`, which counts prompts. */
  counted: NetworkProxy
  /** The proxy between control and the mail server. */
  mail: NetworkProxy
  /** The receiver of webhooks, in this process. The person's account has an endpoint there, for all events. */
  receiver: WebhookReceiver
  /** The plan of all accounts whose traffic every fault has. */
  plan: string
  /** The seeded accounts, without caps. */
  accounts: readonly SeededAccount[]
  /** A signed-in person, once through each replica of control. */
  people: readonly Person[]
  /** The id of the person's account. */
  accountOfPeople: string
  /** The latest log lines of the services, from `warn` up, without requests. */
  lines: string[]
  stop(): Promise<void>
}

/** Starts the system. @returns null without a Redis program or PostgreSQL on this machine */
export async function startChaosSystem(conditions: Conditions = {}): Promise<ChaosSystem | null> {
  const {
    controls: controlCount = 2,
    gateways: gatewayCount = 3,
    keys = 10_000,
    clocksAheadSeconds = {},
    variables = {},
    plan = 'free',
    freeMonthUsd,
    redisPersists,
    redisNetwork = false,
    smallDisk = false
  } = conditions
  const program = findRedisServer(process.env)
  if (program === null) return null
  await using parts = new AsyncDisposableStack()
  const clocks = createClocks(clocksAheadSeconds)
  parts.defer(() => clocks.stop())
  const disk = smallDisk ? mountSmallDisk() : null
  if (disk !== null) parts.defer(() => disk.stop())
  const postgresServer = await startPostgres({
    parent: disk?.directory,
    variables: clocks.ofServer('postgres'),
    settings: { max_connections: '200' }
  })
  if (postgresServer === null) return null
  parts.defer(() => postgresServer.stop())
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-chaos-'))
  parts.defer(() => rmSync(directory, { recursive: true }))
  const { redisForm, redisDownAfterMs } = conditions
  const ofRedis = { persists: redisPersists, variables: clocks.ofServer('redis') }
  const redis = redisForm === undefined ? await startRedisServer(program, directory, ofRedis) : null
  const failoverRedis = redisForm === undefined ? null : await startFailoverRedis(redisForm, program, redisDownAfterMs)
  parts.defer(async () => void (await Promise.all([redis?.stop(), failoverRedis?.stop()])))
  const redisUrl = redis?.url ?? failoverRedis!.url
  let answers = Promise.resolve()
  const remember = { records: 1_000_000, headers: 0, bodies: 0 }
  const models = await startModels({ port: 0, paceMs: 0, remember, beforeAnswer: () => answers })
  parts.defer(() => models.close())
  const proxy = async (...targets: number[]) => parts.adopt(await startProxy(...targets), (started) => started.close())

  const names = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}-${index + 1}`))
  const controlNames = names('control', controlCount)
  const gatewayNames = names('gateway', gatewayCount)
  const pooler = await conditions.startPooler?.(postgresServer.url, directory)
  if (pooler !== undefined) parts.defer(() => pooler.stop())
  const databaseUrl = new URL(pooler?.url ?? postgresServer.url)
  const proxies = new Map<string, { redis: NetworkProxy; database: NetworkProxy }>()
  for (const name of [...controlNames, ...gatewayNames]) {
    // With failover, clients use the servers' own addresses.
    const toRedis = await proxy(...(redis === null ? [] : [redis.port]))
    proxies.set(name, { redis: toRedis, database: await proxy(Number(databaseUrl.port)) })
  }
  const upstream = await proxy(models.port)
  const counted = await proxy(models.port)
  const { PATH, HOME } = process.env
  const ports = await choosePorts()
  const mail = await proxy(ports.SANDBOX_SMTP_PORT)
  const receiver = parts.adopt(await startWebhookReceiver(() => clocks.aheadOf('receiver')), (started) =>
    started.close()
  )

  const changed: Record<string, string> = {}
  function envOf(name: string): Record<string, string> {
    const own = proxies.get(name)
    if (own === undefined) return clocks.ofNode(name)
    const database = new URL(databaseUrl)
    database.port = String(own.database.port)
    const isByProxy = failoverRedis === null && (redisNetwork || controlNames.includes(name))
    return {
      REDIS_URL: isByProxy ? `redis://127.0.0.1:${own.redis.port}` : redisUrl,
      DATABASE_URL: database.href,
      ...changed,
      ...clocks.ofNode(name)
    }
  }

  const env: SystemOptions['env'] = {
    PATH,
    HOME,
    ...nodeVariables(),
    DATABASE_URL: postgresServer.url,
    REDIS_URL: redisUrl,
    OPENAI_BASE_URL: `http://127.0.0.1:${upstream.port}/v1`,
    OPENAI_API_KEY: 'sandbox',
    UPSTREAMS_FILE: writeUpstreams(directory, counted.port),
    CATALOG_FILE: writeCatalog(directory, freeMonthUsd),
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'Tollgate <no-reply@tollgate.test>',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Gives each person an own address, so rate limits by address do not interfere.
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'warn',
    ...variables
  }
  const lines: string[] = []
  const system = await startSystem({
    // The timeout of a test decides, however busy the machine is.
    readyTimeoutMs: 600_000,
    env,
    envOf,
    ports,
    dataDir: join(directory, 'data'),
    controls: controlCount,
    gateways: gatewayCount,
    onLine(part, line) {
      if (line.includes(requestLine)) return
      lines.push(`${part}: ${line}`)
      if (lines.length > maxLines) lines.shift()
    }
  })
  parts.defer(() => system.stop())
  const sql = postgres(postgresServer.url, { max: 2, onnotice: () => {} })
  parts.defer(() => sql.end())
  const link = connectRedis(redisUrl, { name: 'tollgate-chaos', silenceTimeoutMs: 120_000, onError: () => {} })
  parts.defer(() => link.close())
  const accounts = await seedAccounts(sql, { count: Math.ceil(keys / keysEach), keysEach, plan })
  await untilProjected(sql, link, projectedTimeoutMs)

  const replica = (name: string, url: string, adminUrl: string) => ({
    part: system.part(name),
    url,
    adminUrl,
    redis: proxies.get(name)!.redis
  })
  const { addresses, secrets } = system
  const controls = controlNames.map((name, index) => ({
    ...replica(name, addresses.controls[index]!, addresses.controlAdmins[index]!),
    database: proxies.get(name)!.database
  }))
  const gateways = gatewayNames.map((name, index) =>
    replica(name, addresses.gateways[index]!, addresses.gatewayAdmins[index]!)
  )
  const balancer = await proxy(...addresses.gateways.map((url) => Number(new URL(url).port)))
  // A plan without a limit on key changes.
  const first = await new Person({ addresses, secrets }, 'ada').join('pro')
  const people = controls.map(({ url }) => first.through(url))
  await createEndpoint(first, receiver)

  const started = parts.move()
  return {
    system,
    env,
    changeVariables: (variables) => void Object.assign(changed, variables),
    controls,
    gateways,
    balancer,
    get redis() {
      if (redis === null) throw new Error('this system has several Redis servers')
      return redis
    },
    get failoverRedis() {
      if (failoverRedis === null) throw new Error('this system has one Redis server')
      return failoverRedis
    },
    clocks,
    link,
    postgres: postgresServer,
    get disk() {
      if (disk === null) throw new Error('the database of this system has no own disk')
      return disk
    },
    sql,
    models,
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>()
      answers = promise
      return resolve
    },
    upstream,
    counted,
    mail,
    receiver,
    plan,
    accounts,
    people,
    accountOfPeople: (await first.me()).body.user.id,
    lines,
    stop: () => started.disposeAsync()
  }
}

async function createEndpoint(person: Person, receiver: WebhookReceiver): Promise<void> {
  const { url } = receiver
  const { status, body } = await person.call<{ endpoint: { id: string }; secret: string }>('POST', '/api/webhooks', {
    url
  })
  if (status !== 201) throw new Error(`a webhook endpoint could not be created: ${status} ${JSON.stringify(body)}`)
  receiver.expect(url, body.endpoint.id, body.secret)
}
