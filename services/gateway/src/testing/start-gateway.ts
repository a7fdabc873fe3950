import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { afterGroup, isGroup } from '@tollgate/sandbox/testing/after-group.ts'
import { type LeasedRedis, leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { sampleRequests } from '@tollgate/service/log/log-lines.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { putCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { verifyAll } from '@tollgate/state/testing/redis-content.ts'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import type { Registry } from 'prom-client'
import type { BodyMemory } from '../body/body-memory.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { composeGateway } from '../compose.ts'
import type { Protection } from '../http/protection.ts'
import type { RequestLogSetting } from '../receipts/refusal-log.ts'
import type { Reaper } from '../settlement/reaper.ts'
import { createUsageEstimator, type UsageEstimator } from '../tokens/usage-estimator.ts'
import type { Learned, Upstreams } from '../upstreams/upstreams.ts'
import { createTestKeys, nextVersion, type TestKeys } from './test-keys.ts'

/** What templates add. Few, so that tests can compute what is reserved. */
const around = { request: 0, message: 8 }

/**
 * Three chat models and one of each other kind. Only `pro` has `large`. The upstream has another name for `renamed`.
 */
export const testCatalog: Catalog = {
  models: {
    small: model('small'),
    large: model('large'),
    renamed: model('name-at-the-upstream'),
    writer: { ...model('writer'), kind: 'completion' },
    embedder: { ...model('embedder'), kind: 'embedding' },
    judge: { ...model('judge'), kind: 'moderation' }
  },
  plans: {
    free: plan(['small', 'renamed', 'writer', 'embedder', 'judge']),
    pro: plan(['small', 'large', 'renamed', 'writer', 'embedder', 'judge'])
  }
}

/** A catalog of chat models with these routes, all in the free plan. */
export function catalogOf(routes: Record<string, Array<Partial<Target> & { upstream: string }>>): Catalog {
  const models = Object.entries(routes).map(([name, route]) => [
    name,
    { ...model(name), route: route.map((target) => ({ model: name, priority: 0, weight: 1, ...target })) }
  ])
  return { models: Object.fromEntries(models), plans: { free: plan(Object.keys(routes)) } }
}

function model(upstreamName: string): Catalog['models'][string] {
  return {
    kind: 'chat',
    ownedBy: 'tests',
    created: 1_700_000_000,
    route: [{ upstream: 'test', model: upstreamName, priority: 0, weight: 1 }],
    prices: { inputPicos: 150_000, cachedInputPicos: 75_000, outputPicos: 600_000 },
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    defaultOutputTokens: 1000,
    fewestOutputTokens: 16,
    outputParameter: 'max_tokens',
    images: { rule: 'tiles', base: 85, perTile: 170 },
    audio: { tokensPerSecond: 10 },
    templateTokens: { chat: around, responses: around, messages: around },
    tokenizer: null
  }
}

function plan(models: string[]): Catalog['plans'][string] {
  return {
    name: 'Test',
    entitlements: [],
    keyQuota: null,
    seats: null,
    models,
    limits: {
      requestsPerMinute: 1e6,
      burstRequests: 1e6,
      tokensPerMinute: 1e9,
      burstTokens: 1e9,
      concurrentRequests: 1e4
    },
    caps: { requestNanos: 1e9, monthlyNanos: 1e12 }
  }
}

export interface TestGateway extends TestKeys {
  url: string
  server: Server
  /** `METHOD /path` of every registered route, without `HEAD` and `OPTIONS`. */
  routes: ReadonlySet<string>
  redis: LeasedRedis
  /** The test's own connection. It writes like control. */
  control: RedisNode
  /** The gateway's own connection. */
  state: RedisNode
  catalog: LiveCatalog
  /** Those in force. */
  readonly upstreams: Upstreams
  /** Requests that hold the upstreams in force. */
  readonly upstreamRequests: number
  /** Replaces the upstreams file. */
  writeUpstreams(yaml: string): void
  /** Reads the upstreams file again, as SIGHUP does. */
  reloadUpstreams(): Promise<void>
  /** Takes over what another worker learned of an upstream. */
  follow(learned: Learned): void
  /** The metrics in Prometheus' format. */
  metrics(): Promise<string>
  registry: Registry
  /** Marks all shards and the catalog as verified for the current Redis process. */
  verifyRedis(): Promise<void>
  /** Resolves when all ended requests are settled. */
  settled(): Promise<void>
  /** How many calls cost more than the gateway had reserved. */
  aboveBound(): Promise<number>
  /** How many nanodollars they cost more. */
  nanosAboveBound(): Promise<number>
  reaper: Reaper
  bodyMemory: BodyMemory
  close(): Promise<void>
}

export interface GatewayOptions {
  /** `timeouts_ms` of the one upstream, as YAML. */
  timeouts?: string
  /** Replaces the upstreams file, which has one upstream, `test`. */
  upstreamsFile?: string
  catalog?: Catalog
  protection?: Partial<Protection>
  /** MiB; default 256. */
  bodyMemoryMb?: number
  docsUrl?: string
  /** How often the upstreams file is checked, ms. */
  upstreamCheckMs?: number
  log?: pino.Logger
  /** Called with what the other workers of a gateway would be told. */
  onLearned?: (learned: Learned) => void
  /** Share of the successful requests that are logged; default 1. */
  logRequests?: number
  tracing?: Tracing | null
  /** MiB of answers for repeated requests; default 0: `Idempotency-Key` is ignored. */
  idempotencyMemoryMb?: number
  /** Default: receipts with addresses, and room for all. */
  requestLog?: RequestLogSetting | null
  /** Another gateway, whose Redis and state this one shares. Close this one first. Default: an own Redis. */
  beside?: TestGateway
}

const defaultProtection: Protection = {
  trustProxy: false,
  failuresPerMinute: 1000,
  maxConnections: 1000,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 120_000,
  slowBodyMs: 10_000,
  slowReaderMs: 60_000,
  maxRequestMs: 900_000,
  maxAbandonedStreams: 256,
  lingerMs: 0
}

/** All gateways of this process share its thread, which takes half a second of CPU to start. */
let sharedEstimator: UsageEstimator | null = null

/** An estimator whose thread stays when its gateway closes. */
function borrowEstimator(): UsageEstimator {
  if (sharedEstimator === null) {
    sharedEstimator = createUsageEstimator(assert.ifError)
    afterGroup(sharedEstimator.close)
  }
  return { ...sharedEstimator, abort: async () => {}, close: async () => {} }
}

/** The text of an upstreams file with one upstream, `test`. */
const testUpstreams = (url: string, timeouts = '{}'): string =>
  `upstreams: { test: { base_url: '${url}/v1', credential_variable: TEST_CREDENTIAL, timeouts_ms: ${timeouts} } }`

/** `METHOD /path` of every route that is registered from now on, without `HEAD` and `OPTIONS`. */
function collectRoutes(app: FastifyInstance): ReadonlySet<string> {
  const routes = new Set<string>()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD' && one !== 'OPTIONS') routes.add(`${one} ${url}`)
  })
  return routes
}

/** Starts a gateway with its own Redis, and with state like control's, for the upstream at `upstreamUrl`. */
export async function startGateway(upstreamUrl: string, options: GatewayOptions = {}): Promise<TestGateway> {
  const { log = pino({ level: 'silent' }), catalog: published = testCatalog } = options
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-gateway-'))
  const upstreamsFile = join(directory, 'upstreams.yaml')
  writeFileSync(upstreamsFile, options.upstreamsFile ?? testUpstreams(upstreamUrl, options.timeouts))
  const { beside } = options
  const redis = beside?.redis ?? (await leaseRedis())
  const link = (name: string) => connectServer(redis.url, { name, silenceTimeoutMs: 2000, onError: () => {} })
  const control = link('test-control')
  const state = link('test-gateway')
  await Promise.all([control.ready(), state.ready()])

  async function verifyRedis(): Promise<void> {
    const version = nextVersion()
    await verifyAll(control.client, version, control.run())
    await putCatalog(control, { version, run: control.run(), json: JSON.stringify(published) })
  }
  if (beside === undefined) await verifyRedis()

  const bodyMemoryBytes = (options.bodyMemoryMb ?? 256) * 1024 * 1024
  const protection = { ...defaultProtection, ...options.protection }
  const { docsUrl = null, upstreamCheckMs, tracing = null, onLearned } = options
  const gateway = composeGateway({
    redis: state,
    upstreamsFile,
    env: { TEST_CREDENTIAL: 'upstream-credential' },
    ...(upstreamCheckMs !== undefined && { upstreamCheckMs }),
    ...(onLearned !== undefined && { onLearned }),
    log,
    bodyMemoryBytes,
    protection,
    docsUrl,
    tracing,
    ...(isGroup() && { estimator: borrowEstimator() }),
    requestLog: options.requestLog === undefined ? { shardBytes: 1e8, hasAddresses: true } : options.requestLog,
    idempotencyMemoryMb: options.idempotencyMemoryMb ?? 0,
    logsRequest: sampleRequests(options.logRequests ?? 1)
  })
  const { app, catalog, reaper, bodyMemory } = gateway
  const routes = collectRoutes(app)
  await gateway.start()
  await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    server: app.server,
    routes,
    redis,
    control,
    state,
    catalog,
    get upstreams() {
      return gateway.upstreams.current.byName
    },
    get upstreamRequests() {
      return gateway.upstreams.current.requests.count
    },
    writeUpstreams(yaml) {
      writeFileSync(upstreamsFile, yaml)
    },
    reloadUpstreams: gateway.reloadUpstreams,
    follow: (learned) => gateway.upstreams.follow(learned),
    metrics: () => gateway.metrics.registry.metrics(),
    registry: gateway.metrics.registry,
    verifyRedis,
    settled: gateway.settled,
    aboveBound: async () => gateway.metrics.aboveBound.requests.value,
    nanosAboveBound: async () => gateway.metrics.aboveBound.nanos.value,
    reaper,
    bodyMemory,
    ...createTestKeys(control),
    async close() {
      gateway.cutOff()
      await gateway[Symbol.asyncDispose]()
      await control.close()
      if (beside === undefined) await redis.giveBack()
      rmSync(directory, { recursive: true })
    }
  }
}
