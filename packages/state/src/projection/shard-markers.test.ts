import assert from 'node:assert/strict'
import type { Redis } from 'ioredis'
import { monthNumber } from '../keyspace/month.ts'
import { accountShard, allShards, type Shard } from '../keyspace/names.ts'
import { activeKey } from '../testing/active-key.ts'
import { readMarker, stampNow, vouch } from '../testing/marker.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { claimShard, readShards, releaseShard, stampShard } from './shard-markers.ts'
import { putKeyRecord } from './write-records.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const marker = (client: Redis, of: Shard = shard) => readMarker(client, of)

testOnEveryRedis('claims and stamps', async (t, link) => {
  const { client } = link

  t.test('a claim of an unknown shard, stamped, vouches for version and run', async () => {
    const claim = await claimShard(link, shard, 'one')
    assert.deepEqual(claim, { shard, token: 'one', at: { version: null, run: null } })
    assert.equal(await stampShard(link, claim, { version: 12, run: 'run 1' }), true)
    assert.deepEqual(await marker(client), { version: 12, month: 0, run: 'run 1' })
  })

  t.test('a shard at change zero can be vouched for', async () => {
    await stampNow(link, shard, 0, 'run 1')
    assert.deepEqual((await claimShard(link, shard, 'two')).at, { version: 0, run: 'run 1' })
  })

  t.test('a claim vouches for nothing by itself', async () => {
    await claimShard(link, shard, 'one')
    assert.deepEqual((await readShards(link)).markers.get(shard), {
      holder: link.run(),
      version: null,
      run: null,
      month: 0,
      highest: null
    })
  })

  t.test('without a claim nothing is stamped', async () => {
    const claim = { shard, token: 'made up', at: { version: null, run: null } }
    assert.equal(await stampShard(link, claim, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), {})
  })

  t.test('a claim is used up by its stamp', async () => {
    const claim = await claimShard(link, shard, 'one')
    await stampShard(link, claim, { version: 12, run: 'run 1' })
    assert.equal(
      await stampShard(link, { ...claim, at: { version: 12, run: 'run 1' } }, { version: 13, run: 'run 1' }),
      false
    )
  })

  t.test('of two replays the first to end wins, and the other changes nothing', async () => {
    const slow = await claimShard(link, shard, 'slow')
    const fast = await claimShard(link, shard, 'fast')
    assert.equal(await stampShard(link, fast, { version: 20, run: 'run 1' }), true)
    assert.equal(await stampShard(link, slow, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), { version: 20, month: 0, run: 'run 1' })
  })

  t.test('a claim made before the data went away cannot be stamped, though the shard looks as it did', async () => {
    const claim = await claimShard(link, shard, 'one')
    await client.flushall()
    assert.equal(await stampShard(link, claim, { version: 12, run: 'run 1' }), false)
    await claimShard(link, shard, 'two')
    assert.equal(await stampShard(link, claim, { version: 12, run: 'run 1' }), false)
  })

  for (const [what, version, run] of [
    ['version', 13, 'run 1'],
    ['run', 12, 'run 2']
  ] as const) {
    t.test(`a stamp insists on the ${what} that the claim found`, async () => {
      await stampNow(link, shard, 12, 'run 1')
      const claim = await claimShard(link, shard, 'two')
      await vouch(client, shard, version, run)
      assert.equal(await stampShard(link, claim, { version: 14, run: 'run 3' }), false)
      assert.deepEqual(await marker(client), { version, month: monthNumber(new Date()), run, 'claim:two': '1' })
    })
  }

  t.test('a claim that was given up cannot be stamped', async () => {
    const claim = await claimShard(link, shard, 'one')
    await releaseShard(link, claim)
    assert.equal(await stampShard(link, claim, { version: 12, run: 'run 1' }), false)
    assert.deepEqual(await marker(client), {})
  })

  t.test('a stamp keeps note of records beyond its version', async () => {
    const claim = await claimShard(link, shard, 'one')
    await putKeyRecord(link, account, 'key_1', 15, activeKey)
    await stampShard(link, claim, { version: 12, run: 'run 1' })
    assert.deepEqual((await readShards(link)).markers.get(shard), {
      holder: link.run(),
      version: 12,
      run: 'run 1',
      month: 0,
      highest: 15
    })
  })

  t.test('the markers of all shards are read at once', async () => {
    await stampNow(link, 'a00', 1, 'run 1')
    await stampNow(link, 'kff', 2, 'run 2')
    const { markers, failures } = await readShards(link)
    assert.deepEqual(failures, [])
    assert.equal(markers.size, allShards.length)
    const month = monthNumber(new Date())
    assert.deepEqual(markers.get('a00'), { holder: link.run(), version: 1, run: 'run 1', month, highest: null })
    assert.deepEqual(markers.get('kff'), { holder: link.run(), version: 2, run: 'run 2', month, highest: null })
    assert.deepEqual(markers.get('k00'), { holder: link.run(), version: null, run: null, month: 0, highest: null })
  })
})
