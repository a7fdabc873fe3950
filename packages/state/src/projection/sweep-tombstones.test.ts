import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import { confirmRecords } from '../admission/confirm.ts'
import { accountName, accountShard, tombstonesName } from '../keyspace/names.ts'
import type { RedisNode } from '../link/redis-link.ts'
import { changeAccount, changeBudget } from '../testing/account-state.ts'
import { activeKey } from '../testing/one-account.ts'
import { setVerified } from '../testing/redis-content.ts'
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

/** The status of the key in Redis; null without a record. */
async function statusOf(link: RedisNode, key: string): Promise<string | null> {
  const answer = await confirmRecords(link, account, key, { key: '', account: '' }, null)
  assert.equal(answer.outcome, 'moved')
  const { key: record } = answer as Extract<typeof answer, { outcome: 'moved' }>
  return record === null ? null : (JSON.parse(record.json) as KeyRecord).status
}

testOnEveryRedis('tombstones', async (t, link) => {
  const { client } = link

  t.test('an old tombstone is removed completely', async () => {
    await setVerified(client, shard, 9, link.run())
    await putAll(link, [tombstone('key_1', 10), tombstone('key_2', 11)])
    await setVerified(client, shard, 11, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 60_000 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'revoked')
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 2)
    assert.deepEqual(await client.exists(accountName(account), tombstonesName(shard)), 0)
  })

  t.test('a tombstone stays until the shard is verified up to its version', async () => {
    await setVerified(client, shard, 9, link.run())
    await putAll(link, [tombstone('key_1', 10)])
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'revoked')
  })

  t.test('after its tombstone is removed, earlier records of the key are not stored', async () => {
    await putKeyRecord(link, account, 'key_1', 5, activeKey)
    await putAll(link, [tombstone('key_1', 7)])
    await setVerified(client, shard, 8, link.run())
    await sweepTombstones(link, { shards, keptMs: 0 })
    const late: ProjectionWrite = { kind: 'key', account, key: 'key_1', version: 5, record: activeKey }
    assert.deepEqual(await putAll(link, [late, tombstone('key_1', 7)]), ['later', 'present'])
    assert.equal(await statusOf(link, 'key_1'), null)
    assert.equal(await putKeyRecord(link, account, 'key_2', 9, activeKey), true)
  })

  t.test('a key that a restored Postgres made active again is not removed', async () => {
    await putAll(link, [tombstone('key_1', 7)])
    await putKeyRecord(link, account, 'key_1', 1e12 + 5, activeKey)
    await setVerified(client, shard, 1e12 + 5, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    assert.equal(await statusOf(link, 'key_1'), 'active')
  })

  t.test('a deleted account is removed when it has no open holds', async () => {
    await putAll(link, [{ kind: 'account', account, version: 3, record: closed, isDeleted: true }])
    await setVerified(client, shard, 3, link.run())
    await changeAccount(client, account, { version: 3, month: 202611, open: 1 })
    await changeBudget(client, account, 'bd:1', { window: 1, settled: 2 })
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 0)
    await changeAccount(client, account, { open: 0 })
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 1)
    assert.deepEqual(await client.exists(accountName(account), tombstonesName(shard)), 0)
  })

  t.test('one call removes any number of tombstones', async () => {
    const writes = Array.from({ length: 1234 }, (_, number) => tombstone(`key_${number}`, number + 1))
    await putAll(link, writes)
    await setVerified(client, shard, 1234, link.run())
    assert.equal(await sweepTombstones(link, { shards, keptMs: 0 }), 1234)
    assert.equal(await client.exists(accountName(account)), 0)
  })
})
