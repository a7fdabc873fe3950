import assert from 'node:assert/strict'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { verifyNow } from '@tollgate/state/testing/redis-content.ts'
import { type Test, test } from 'tap'
import { untilVerified } from './part.ts'
import { SystemError } from './system-error.ts'

async function emptyRedis(t: Test) {
  const redis = await startRedis({ port: 0 })
  const link = connectServer(redis.url, { name: 'test', silenceTimeoutMs: 2_000, onError: () => {} })
  t.after(async () => {
    await link.close()
    await redis.stop()
  })
  await link.ready()
  const verify = async (run: string, shards = allShards) => {
    for (const shard of shards) await verifyNow(link, shard, 1, run)
  }
  return { url: redis.url, run: link.run(), verify }
}

test('the wait ends with the last shard', async (t) => {
  const { url, run, verify } = await emptyRedis(t)
  await verify(run, allShards.slice(1))
  let isDone = false
  const wait = untilVerified(url, 10_000).then(() => {
    isDone = true
  })
  await assert.rejects(untilVerified(url, 300), SystemError)
  assert.equal(isDone, false)
  await verify(run, allShards.slice(0, 1))
  await wait
})

test('verifications for another Redis process do not count', async (t) => {
  const { url, run, verify } = await emptyRedis(t)
  await verify('another')
  await assert.rejects(untilVerified(url, 300), SystemError)
  await verify(run)
  await untilVerified(url, 10_000)
})

test('the wait can be aborted, also while Redis is down', async (t) => {
  const reason = new Error('enough')
  const abort = new AbortController()
  const { url } = await emptyRedis(t)
  const waits = [url, 'redis://127.0.0.1:1'].map((url) => untilVerified(url, 10_000, abort.signal))
  abort.abort(reason)
  for (const wait of waits) await assert.rejects(wait, (error) => error === reason)
})
