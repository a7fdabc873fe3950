import assert from 'node:assert/strict'
import { digestSecret, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/contracts/keyspace/names.ts'
import { connectServer } from '@tollgate/contracts/redis/connect-redis.ts'
import { putAll } from '@tollgate/contracts/redis/project.ts'
import { findPointer } from '@tollgate/contracts/redis/read-pointer.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { test } from 'tap'
import { runPass } from './pass.ts'
import type { ProjectionSource } from './source.ts'
import { createMemorySource, emptyState, recordMemoryChange } from './testing/memory-source.ts'

/**
 * A pass over an empty Redis, in the middle of which, when it has seen Postgres but replayed nothing, a key is made.
 * @returns what a gateway is then told of the live key
 */
async function keyMadeDuringPass(meanwhile: 'acknowledged, then flushed' | 'not brought to Redis'): Promise<unknown> {
  const server = await startRedis({ port: 0 })
  const redis = connectServer(server.url, { name: 'test', silenceLimitMs: 5000, onError: () => {} })
  await redis.ready()
  const state = emptyState()
  const source = createMemorySource(() => state)
  const digest = digestSecret(generateSecret('inference'))
  const [account, key] = ['account', 'key']
  let isMade = false
  const interrupted: ProjectionSource = {
    ...source,
    async readTruth() {
      const truth = await source.readTruth()
      if (isMade) return truth
      isMade = true
      const change = recordMemoryChange(state, [accountShard(account), secretShard(digest)])
      state.accounts.set(account, {
        id: account,
        record: { plan: 'free', status: 'active', ownCapNanos: null },
        change
      })
      state.keys.set(key, {
        id: key,
        account,
        record: {
          status: 'active',
          digest,
          previous: null,
          expiresAt: null,
          models: null,
          monthlyBudgetNanos: null,
          requestsPerMinute: null
        },
        change,
        revokedAt: null
      })
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
    await server.stop()
  }
}

for (const meanwhile of ['acknowledged, then flushed', 'not brought to Redis'] as const) {
  test(`a key that was made during a pass (${meanwhile}) is never vouched to be unknown`, async () => {
    assert.notEqual(await keyMadeDuringPass(meanwhile), 'unknown')
  })
}
