import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { allShards } from '@tollgate/contracts/keyspace/names.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import {
  claimShard,
  putAccountRecord,
  putCatalog,
  putKeyRecord,
  putPointer,
  stampShard
} from '@tollgate/contracts/redis/project.ts'
import { connectRedis, type RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { type RunningRedis, startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import pino from 'pino'
import { buildApp } from '../app.ts'
import { followCatalog, type LiveCatalog } from '../catalog/live-catalog.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

/** Two chat models, one of them for paying plans, and one that the upstream knows by another name. */
export const testCatalog: Catalog = {
  models: {
    small: model('small'),
    large: model('large'),
    renamed: model('name-at-the-upstream'),
    embedder: { ...model('embedder'), kind: 'embedding' }
  },
  plans: { free: plan(['small', 'renamed', 'embedder']), pro: plan(['small', 'large', 'renamed', 'embedder']) }
}

function model(upstreamName: string): Catalog['models'][string] {
  return {
    kind: 'chat',
    ownedBy: 'tests',
    created: 1_700_000_000,
    route: [{ upstream: 'test', model: upstreamName }],
    prices: { inputPicos: 150_000, cachedInputPicos: 75_000, outputPicos: 600_000 },
    contextWindow: 128_000,
    maxOutputTokens: 16_384
  }
}

function plan(models: string[]): Catalog['plans'][string] {
  return {
    name: 'Test',
    entitlements: [],
    keyQuota: null,
    models,
    limits: { requestsPerMinute: 1e6, tokensPerMinute: 1e9, concurrentRequests: 1e4 },
    caps: { requestNanos: 1e9, monthlyNanos: 1e12 }
  }
}

export type SeededKey = { secret: string; digest: string; id: string; account: string; record: KeyRecord }

export type TestGateway = {
  url: string
  server: Server
  redis: RunningRedis
  /** A connection of the test's own, for the writes that control would make. */
  control: RedisLink
  /** The gateway's own connection. */
  state: RedisLink
  catalog: LiveCatalog
  seedKey(options?: { key?: Partial<KeyRecord>; account?: Partial<AccountRecord> }): Promise<SeededKey>
  /** Writes a later version of a key or of its account. */
  changeKey(seeded: SeededKey, change: Partial<KeyRecord>): Promise<void>
  changeAccount(seeded: SeededKey, record: AccountRecord): Promise<void>
  /** Vouches for all shards, and for the catalog, to the Redis process that runs now. */
  vouch(): Promise<void>
  close(): Promise<void>
}

/** A gateway on a Redis of its own, with state as control would write it, in front of the upstream at `upstreamUrl`. */
export async function startGateway(upstreamUrl: string, upstreamTimeouts = '{}'): Promise<TestGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-gateway-'))
  const upstreamsFile = join(directory, 'upstreams.yaml')
  writeFileSync(
    upstreamsFile,
    `upstreams: { test: { base_url: '${upstreamUrl}/v1', credential_variable: TEST_CREDENTIAL, timeouts_ms: ${upstreamTimeouts} } }`
  )
  const redis = await startRedis({ port: 0 })
  const link = (name: string) => connectRedis(redis.url, { name, silenceLimitMs: 500, onError: () => {} })
  const control = link('test-control')
  const state = link('test-gateway')
  await Promise.all([control.ready(), state.ready()])

  let change = 0
  const nextVersion = () => versionOf(0, ++change)
  async function vouch(): Promise<void> {
    const version = nextVersion()
    await Promise.all(
      allShards.map(async (shard) =>
        stampShard(control, await claimShard(control, shard, 'test'), version, control.run())
      )
    )
    await putCatalog(control, { version, run: control.run(), json: JSON.stringify(testCatalog) })
  }
  await vouch()

  const catalog = followCatalog(state, () => {})
  const upstreams = openUpstreams(upstreamsFile, { TEST_CREDENTIAL: 'upstream-credential' })
  const app = buildApp({ redis: state, catalog, upstreams, log: pino({ level: 'silent' }) })
  await catalog.start()
  await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    server: app.server,
    redis,
    control,
    state,
    catalog,
    vouch,
    async seedKey(options = {}) {
      const secret = generateSecret('inference')
      const digest = digestSecret(secret)
      const seeded: SeededKey = {
        secret,
        digest,
        id: `key_${digest.slice(0, 12)}`,
        account: crypto.randomUUID(),
        record: { status: 'active', digest, previous: null, expiresAt: null, models: null, ...options.key }
      }
      await putPointer(control, digest, { key: seeded.id, account: seeded.account, scope: 'inference' })
      await putAccountRecord(control, seeded.account, nextVersion(), {
        plan: 'free',
        status: 'active',
        ...options.account
      })
      await putKeyRecord(control, seeded.account, seeded.id, nextVersion(), seeded.record)
      return seeded
    },
    async changeKey(seeded, changes) {
      Object.assign(seeded.record, changes)
      await putKeyRecord(control, seeded.account, seeded.id, nextVersion(), seeded.record)
    },
    async changeAccount(seeded, record) {
      await putAccountRecord(control, seeded.account, nextVersion(), record)
    },
    async close() {
      await Promise.all([...upstreams.values()].map(({ pool }) => pool.destroy()))
      await app.close()
      await catalog.stop()
      await Promise.all([state.close(), control.close()])
      await redis.stop()
      rmSync(directory, { recursive: true })
    }
  }
}
