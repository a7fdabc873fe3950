import assert from 'node:assert/strict'
import type { Pointer } from '@tollgate/contracts/records/records.ts'
import { pointerName, secretShard } from '../keyspace/names.ts'
import { stampNow } from '../testing/marker.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { findPointer } from './read-pointer.ts'
import { claimShard } from './shard-markers.ts'
import { putPointer } from './write-records.ts'

const digest = 'c4'.padEnd(64, '0')
const pointer: Pointer = { key: 'key_1', account: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', scope: 'inference' }

testOnEveryRedis('pointers are looked up', async (t, anyRun) => {
  const link = withRun(anyRun, 'this run')
  const vouch = async (run: string) => assert.ok(await stampNow(link, secretShard(digest), 1, run))

  t.test('a pointer is found, whether or not its shard is verified: it never changes', async () => {
    await putPointer(link, digest, pointer)
    assert.deepEqual(await findPointer(link, digest), pointer)
    await vouch('this run')
    assert.deepEqual(await findPointer(link, digest), pointer)
  })

  t.test('a digest is unknown only to the process that was vouched to', async () => {
    assert.equal(await findPointer(link, digest), 'unverified')
    await claimShard(link, secretShard(digest), 'replay')
    assert.equal(await findPointer(link, digest), 'unverified')
    await vouch('other run')
    assert.equal(await findPointer(link, digest), 'unverified')
    await vouch('this run')
    assert.equal(await findPointer(link, digest), 'unknown')
  })

  t.test('the shard that counts is the digest’s own', async () => {
    assert.ok(await stampNow(link, 'kc5', 1, 'this run'))
    assert.equal(await findPointer(link, digest), 'unverified')
  })

  t.test('something else in its place is a failure, not an answer', async () => {
    await anyRun.client.set(pointerName(digest), '{"key":"key_1"}')
    await assert.rejects(findPointer(link, digest))
  })
})
