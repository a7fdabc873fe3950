import assert from 'node:assert/strict'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { Redis } from 'ioredis'
import { accountShard, allShards, monthNumber, type Shard, shardMarker } from '../keyspace/names.ts'
import { activeKey } from '../testing/one-account.ts'
import { readMarker, setVerified, verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { claimShard, markVerified, readShards, releaseShard } from './shard-markers.ts'
import { putKeyRecord } from './write-records.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const marker = (client: Redis, of: Shard = shard) => readMarker(client, of)

testOnEveryRedis('claims of shards', async (t, link) => {
  const { client } = link

  t.test('a shard that is claimed can be marked as verified for a version and a run', async () => {
    const claim = await claimShard(link, shard, 'one')
    assert.deepEqual(claim, { shard, token: 'one', at: { version: null, run: null } })
    assert.equal(await markVerified(link, claim, { version: 12, run: 'run 1' }), true)
    assert.deepEqual(await marker(client), { version: 12, month: 0, run: 'run 1', since: '0' })
  })

  t.test('a shard keeps the epoch of its first verification, until it loses its data', async () => {
    const since = () => client.hget(shardMarker(shard), 'since')
    await verifyNow(link, shard, versionOf(2, 7), 'run 1')
    await verifyNow(link, shard, versionOf(3, 9), 'run 1')
    assert.equal(await since(), '2')
    await client.flushall()
    await verifyNow(link, shard, versionOf(3, 9), 'run 1')
    assert.equal(await since(), '3')
  })

  t.test('a shard can be verified at version 0', async () => {
    await verifyNow(link, shard, 0, 'run 1')
    assert.deepEqual((await claimShard(link, shard, 'two')).at, { version: 0, run: 'run 1' })
  })

  t.test('a claim alone verifies nothing', async () => {
    await claimShard(link, shard, 'one')
    assert.deepEqual((await readShards(link)).markers.get(shard), {
      currentRunId: link.run(),
      version: null,
      run: null,
      month: 0,
      highest: null
    })
  })

  t.test('a shard without a claim is not marked as verified', async () => {
    const claim = { shard, token: 'made up', at: { version: null, run: null } }
    assert.equal(await markVerified(link, claim, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), {})
  })

  t.test('a claim works once', async () => {
    const claim = await claimShard(link, shard, 'one')
    await markVerified(link, claim, { version: 12, run: 'run 1' })
    assert.equal(
      await markVerified(link, { ...claim, at: { version: 12, run: 'run 1' } }, { version: 13, run: 'run 1' }),
      false
    )
  })

  t.test('if two replays run at once, the first to end wins and the other changes nothing', async () => {
    const slow = await claimShard(link, shard, 'slow')
    const fast = await claimShard(link, shard, 'fast')
    assert.equal(await markVerified(link, fast, { version: 20, run: 'run 1' }), true)
    assert.equal(await markVerified(link, slow, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), { version: 20, month: 0, run: 'run 1', since: '0' })
  })

  t.test('a claim is lost with the data, even if the shard looks as before', async () => {
    const claim = await claimShard(link, shard, 'one')
    await client.flushall()
    assert.equal(await markVerified(link, claim, { version: 12, run: 'run 1' }), false)
    await claimShard(link, shard, 'two')
    assert.equal(await markVerified(link, claim, { version: 12, run: 'run 1' }), false)
  })

  for (const [what, version, run] of [
    ['version', 13, 'run 1'],
    ['run', 12, 'run 2']
  ] as const) {
    t.test(`a shard is not marked as verified if its ${what} has changed since the claim`, async () => {
      await verifyNow(link, shard, 12, 'run 1')
      const claim = await claimShard(link, shard, 'two')
      await setVerified(client, shard, version, run)
      assert.equal(await markVerified(link, claim, { version: 14, run: 'run 3' }), false)
      assert.deepEqual(await marker(client), {
        version,
        month: monthNumber(new Date()),
        run,
        since: '0',
        'claim:two': '1'
      })
    })
  }

  t.test('a released claim does not work', async () => {
    const claim = await claimShard(link, shard, 'one')
    await releaseShard(link, claim)
    assert.equal(await markVerified(link, claim, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), {})
  })

  t.test('the marker keeps the highest version of any record', async () => {
    const claim = await claimShard(link, shard, 'one')
    await putKeyRecord(link, account, 'key_1', 15, activeKey)
    await markVerified(link, claim, { version: 12, run: 'run 1' })
    assert.deepEqual((await readShards(link)).markers.get(shard), {
      currentRunId: link.run(),
      version: 12,
      run: 'run 1',
      month: 0,
      highest: 15
    })
  })

  t.test('all markers are read with one call', async () => {
    await verifyNow(link, 'a00', 1, 'run 1')
    await verifyNow(link, 'kff', 2, 'run 2')
    const { markers, failures } = await readShards(link)
    assert.deepEqual(failures, [])
    assert.equal(markers.size, allShards.length)
    const month = monthNumber(new Date())
    assert.deepEqual(markers.get('a00'), { currentRunId: link.run(), version: 1, run: 'run 1', month, highest: null })
    assert.deepEqual(markers.get('kff'), { currentRunId: link.run(), version: 2, run: 'run 2', month, highest: null })
    assert.deepEqual(markers.get('k00'), {
      currentRunId: link.run(),
      version: null,
      run: null,
      month: 0,
      highest: null
    })
  })
})
