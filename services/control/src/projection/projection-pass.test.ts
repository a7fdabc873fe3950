import assert from 'node:assert/strict'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import { confirmRecords } from '@tollgate/state/admission/confirm.ts'
import {
  accountName,
  accountShard,
  allShards,
  secretShard,
  shardMarker,
  verifiedField
} from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { findPointer } from '@tollgate/state/projection/read-keys.ts'
import { putAll } from '@tollgate/state/projection/write-records.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { activeKey } from '@tollgate/state/testing/one-account.ts'
import { readMarker } from '@tollgate/state/testing/redis-content.ts'
import { test } from 'tap'
import { runPass } from './projection-pass.ts'
import type { ProjectionSource } from './source.ts'
import { createMemorySource, emptyState, type MemoryState, recordMemoryChange } from './testing/memory-source.ts'

const [account, key] = ['account', 'key']

function addKey(state: MemoryState, digest: string): void {
  const change = recordMemoryChange(state, [accountShard(account), secretShard(digest)])
  state.accounts.set(account, {
    id: account,
    record: { plan: 'free', status: 'active', ownCapNanos: null },
    change
  })
  state.keys.set(key, { id: key, account, record: { ...activeKey, digest }, change, revokedAt: null })
}

/**
 * A pass over an empty Redis. A key is created after the pass has read PostgreSQL and before it replays.
 * @returns the answer that a gateway then gets for the live key
 */
async function keyMadeDuringPass(meanwhile: 'acknowledged, then flushed' | 'not written to Redis'): Promise<unknown> {
  const server = await leaseRedis()
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: () => {} })
  await redis.ready()
  const state = emptyState()
  const source = createMemorySource(() => state)
  const digest = digestSecret(generateSecret('inference'))
  let isMade = false
  const interrupted: ProjectionSource = {
    ...source,
    async readTruth() {
      const truth = await source.readTruth()
      if (isMade) return truth
      isMade = true
      addKey(state, digest)
      if (meanwhile === 'acknowledged, then flushed') {
        await putAll(redis, await source.writesOfKey(account, key))
        assert.notEqual(await findPointer(redis, digest), 'unknown')
        await redis.client.flushall()
      }
      return truth
    }
  }
  try {
    await runPass(interrupted, redis, new AbortController().signal)
    return await findPointer(redis, digest)
  } finally {
    await redis.close()
    await server.giveBack()
  }
}

for (const meanwhile of ['acknowledged, then flushed', 'not written to Redis'] as const) {
  test(`a key created during a pass (${meanwhile}) is never verified as unknown`, async () => {
    assert.notEqual(await keyMadeDuringPass(meanwhile), 'unknown')
  })
}

test('data in an older format is written again, and spends are created', async (t) => {
  const server = await leaseRedis()
  t.after(() => server.giveBack())
  const redis = connectServer(server.url, { name: 'test', silenceTimeoutMs: 5000, onError: () => {} })
  t.after(() => redis.close())
  await redis.ready()
  const state = emptyState()
  addKey(state, digestSecret(generateSecret('inference')))
  const source = createMemorySource(() => state)
  const pass = () => runPass(source, redis, new AbortController().signal)
  // Another version of control has verified all shards, with data that this version cannot read.
  await pass()
  for (const shard of allShards) {
    const { version, run } = await readMarker(redis.client, shard)
    await redis.client.hdel(shardMarker(shard), verifiedField)
    await redis.client.hset(shardMarker(shard), { 'version:2': version!, run: run! })
  }
  await redis.client.del(accountName(account))
  const ask = () => confirmRecords(redis, account, key, { key: '', account: '' }, null)
  assert.deepEqual(await ask(), { outcome: 'unverified' })

  await pass()
  const answer = await ask()
  assert.ok(answer.outcome === 'moved' && answer.key !== null && answer.account !== null)
  assert.notEqual((await readState(redis.client, account)).account, null)
  const fields = Object.keys(await redis.client.hgetall(shardMarker(accountShard(account))))
  assert.ok(fields.includes('highest') && fields.includes(verifiedField))
})
