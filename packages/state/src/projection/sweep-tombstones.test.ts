import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { confirmRecords } from '../admission/confirm.ts'
import { accountName, accountShard, tombstonesName } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { changeAccount } from '../testing/account-state.ts'
import { activeKey } from '../testing/active-key.ts'
import { vouch } from '../testing/marker.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { sweepTombstones } from './sweep-tombstones.ts'
import { type ProjectionWrite, putAll, putKeyRecord } from './write-records.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const shards = [shard]
const revoked: KeyRecord = { ...activeKey, status: 'revoked' }
const closed: AccountRecord = { plan: 'free', status: 'suspended', ownCapNanos: null }

const tombstone = (key: string, version: number): ProjectionWrite => ({
  kind: 'key',
  account,
  key,
  version,
  record: revoked
})

/** What the key is according to Redis: its status, or null if Redis has no record. */
async function statusOf(link: RedisNode, key: string): Promise<string | null> {
  const answer = await confirmRecords(link, account, key, { key: '', account: '' }, null)
  assert.equal(answer.outcome, 'moved')
  const { key: record } = answer as Extract<typeof answer, { outcome: 'moved' }>
  return record === null ? null : (JSON.parse(record.json) as KeyRecord).status
}

testOnEveryRedis('tombstones', async (t, link) => {
  const { client } = link

  t.test('a tombstone goes when it is old enough, and leaves nothing', async () => {
    await vouch(client, shard, 9, link.run())
    await putAll(link, [tombstone('key_1', 10), tombstone('key_2', 11)])
    await vouch(client, shard, 11, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 60_000 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'revoked')
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 2)
    assert.deepEqual(await client.exists(accountName(account), tombstonesName(shard)), 0)
  })

  t.test('a tombstone stays while the shard is not verified up to it', async () => {
    await vouch(client, shard, 9, link.run())
    await putAll(link, [tombstone('key_1', 10)])
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'revoked')
  })

  t.test(
    'an earlier state of a key that comes after the sweep is refused, and the tombstone is not stored again',
    async () => {
      await putKeyRecord(link, account, 'key_1', 5, activeKey)
      await putAll(link, [tombstone('key_1', 7)])
      await vouch(client, shard, 8, link.run())
      await sweepTombstones(link, { shards, keptMs: 0 })
      const late: ProjectionWrite = { kind: 'key', account, key: 'key_1', version: 5, record: activeKey }
      assert.deepEqual(await putAll(link, [late, tombstone('key_1', 7)]), ['later', 'present'])
      assert.equal(await statusOf(link, 'key_1'), null)
      assert.equal(await putKeyRecord(link, account, 'key_2', 9, activeKey), true)
    }
  )

  t.test('a key that lives again, in a restored Postgres, is not swept', async () => {
    await putAll(link, [tombstone('key_1', 7)])
    await putKeyRecord(link, account, 'key_1', 1e12 + 5, activeKey)
    await vouch(client, shard, 1e12 + 5, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'active')
  })

  t.test('a deleted account goes once no request of it is open', async () => {
    await putAll(link, [{ kind: 'account', account, version: 3, record: closed, isDeleted: true }])
    await vouch(client, shard, 3, link.run())
    await changeAccount(client, account, { version: 3, month: 202611, open: 1 })
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    await changeAccount(client, account, { open: 0 })
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 1)
    assert.deepEqual(await client.exists(accountName(account), tombstonesName(shard)), 0)
  })

  t.test('any number of tombstones go in one sweep', async () => {
    const writes = Array.from({ length: 1234 }, (_, number) => tombstone(`key_${number}`, number + 1))
    await putAll(link, writes)
    await vouch(client, shard, 1234, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 1234)
    assert.equal(await client.exists(accountName(account)), 0)
  })
})
