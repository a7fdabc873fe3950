import { join } from 'node:path'
import type { Part } from '@tollgate/cli/system/part.ts'
import { type System, type SystemOptions, startSystem } from '@tollgate/cli/system/system.ts'
import { nodeVariables } from '@tollgate/sandbox/child/child.ts'
import type { RunningModels } from '@tollgate/sandbox/models/start-models.ts'
import type { RunningPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { connectRedis } from '@tollgate/state/link/connect-redis.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { Person } from '../../person.ts'
import { writeCatalog, writeUpstreams } from './catalog.ts'
import type { Clocks } from './clocks.ts'
import type { NetworkProxy } from './proxy.ts'
import type { FailoverRedis, RedisServer } from './redis-servers.ts'
import { type SeededAccount, seedAccounts, untilProjected } from './seed.ts'
import { type Conditions, type Network, type Servers, startNetwork, startServers } from './servers.ts'
import type { SmallDisk } from './small-disk.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

const keysEach = 10
const maxLines = 50
/** The log line of a request, which `lines` leaves out. */
const requestLine = '"msg":"request"'
const projectedTimeoutMs = 120_000

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
  const { plan = 'free', keys = 10_000 } = conditions
  await using parts = new AsyncDisposableStack()
  const servers = await startServers(conditions, parts)
  if (servers === null) return null
  const names = {
    controls: namesOf('control', conditions.controls ?? 2),
    gateways: namesOf('gateway', conditions.gateways ?? 3)
  }
  const network = await startNetwork(servers, [...names.controls, ...names.gateways], parts)
  const services = await startServices(servers, network, names, conditions, parts)
  const { system } = services
  const { sql, link } = connectStores(servers, parts)
  const accounts = await seedAccounts(sql, { count: Math.ceil(keys / keysEach), keysEach, plan })
  await untilProjected(sql, link, projectedTimeoutMs)
  const { controls, gateways } = replicasOf(system, network, names)
  const balancer = await network.connect(...gateways.map(({ url }) => Number(new URL(url).port)))
  // A plan without a limit on key changes.
  const person = await new Person(system, 'ada').join('pro')
  await createEndpoint(person, servers.receiver)
  const accountOfPeople = (await person.me()).body.user.id

  const started = parts.move()
  return {
    ...services,
    controls,
    gateways,
    balancer,
    get redis() {
      return orThrow(servers.redis, 'this system has several Redis servers')
    },
    get failoverRedis() {
      return orThrow(servers.failoverRedis, 'this system has one Redis server')
    },
    clocks: servers.clocks,
    link,
    postgres: servers.postgres,
    get disk() {
      return orThrow(servers.disk, 'the database of this system has no own disk')
    },
    sql,
    models: servers.models,
    holdAnswers: servers.holdAnswers,
    upstream: network.upstream,
    counted: network.counted,
    mail: network.mail,
    receiver: servers.receiver,
    plan,
    accounts,
    people: controls.map(({ url }) => person.through(url)),
    accountOfPeople,
    stop: () => started.disposeAsync()
  }
}

function orThrow<Part>(part: Part | null, reason: string): Part {
  if (part === null) throw new Error(reason)
  return part
}

const namesOf = (service: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? service : `${service}-${index + 1}`))

interface ServiceNames {
  readonly controls: readonly string[]
  readonly gateways: readonly string[]
}

/** Starts control and the gateways, each with its own proxies and clock. */
async function startServices(
  servers: Servers,
  network: Network,
  names: ServiceNames,
  conditions: Conditions,
  parts: AsyncDisposableStack
): Promise<Pick<ChaosSystem, 'system' | 'env' | 'changeVariables' | 'lines'>> {
  const { clocks, failoverRedis } = servers
  const changes: Record<string, string> = {}
  const env = variablesOfAll(servers, network, conditions)
  const lines: string[] = []
  const system = await startSystem({
    // The timeout of a test decides, however busy the machine is.
    readyTimeoutMs: 600_000,
    env,
    envOf(name) {
      const proxies = network.proxies.get(name)
      if (proxies === undefined) return clocks.ofNode(name)
      const database = new URL(servers.databaseUrl)
      database.port = String(proxies.database.port)
      const isByProxy = failoverRedis === null && (conditions.redisNetwork === true || names.controls.includes(name))
      return {
        REDIS_URL: isByProxy ? `redis://127.0.0.1:${proxies.redis.port}` : servers.redisUrl,
        DATABASE_URL: database.href,
        ...changes,
        ...clocks.ofNode(name)
      }
    },
    ports: network.ports,
    dataDir: join(servers.directory, 'data'),
    controls: names.controls.length,
    gateways: names.gateways.length,
    onLine(part, line) {
      if (line.includes(requestLine)) return
      lines.push(`${part}: ${line}`)
      if (lines.length > maxLines) lines.shift()
    }
  })
  parts.defer(() => system.stop())
  return { system, env, changeVariables: (variables) => void Object.assign(changes, variables), lines }
}

/** The variables that all services share. */
function variablesOfAll(
  { postgres: { url }, redisUrl, directory }: Servers,
  { upstream, counted, mail }: Network,
  { freeMonthUsd, variables }: Conditions
): SystemOptions['env'] {
  const { PATH, HOME } = process.env
  return {
    PATH,
    HOME,
    ...nodeVariables(),
    DATABASE_URL: url,
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
}

/** Connects to both stores directly, without a proxy. */
function connectStores(
  { postgres: { url }, redisUrl }: Servers,
  parts: AsyncDisposableStack
): Pick<ChaosSystem, 'sql' | 'link'> {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  parts.defer(() => sql.end())
  const link = connectRedis(redisUrl, { name: 'tollgate-chaos', silenceTimeoutMs: 120_000, onError: () => {} })
  parts.defer(() => link.close())
  return { sql, link }
}

function replicasOf(
  system: System,
  { proxies }: Network,
  names: ServiceNames
): { controls: ControlReplica[]; gateways: GatewayReplica[] } {
  const { controls, controlAdmins, gateways, gatewayAdmins } = system.addresses
  const replica = (name: string, url: string, adminUrl: string) => ({
    part: system.part(name),
    url,
    adminUrl,
    ...proxies.get(name)!
  })
  return {
    controls: names.controls.map((name, index) => replica(name, controls[index]!, controlAdmins[index]!)),
    gateways: names.gateways.map((name, index) => replica(name, gateways[index]!, gatewayAdmins[index]!))
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
