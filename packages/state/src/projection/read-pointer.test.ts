import assert from 'node:assert/strict'
import type { Pointer } from '@tollgate/contracts/records/records.ts'
import { pointerName, secretShard } from '../keyspace/names.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { findPointer } from './read-keys.ts'
import { claimShard } from './shard-markers.ts'
import { putPointer } from './write-records.ts'

const digest = 'c4'.padEnd(64, '0')
const pointer: Pointer = { key: 'key_1', account: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11', scope: 'inference' }

testOnEveryRedis('looking up pointers', async (t, anyRun) => {
  const link = withRun(anyRun, 'this run')
  const verify = async (run: string) => assert.ok(await verifyNow(link, secretShard(digest), 1, run))

  t.test('a pointer is found even if its shard is not verified, because it never changes', async () => {
    await putPointer(link, digest, pointer)
    assert.deepEqual(await findPointer(link, digest), pointer)
    await verify('this run')
    assert.deepEqual(await findPointer(link, digest), pointer)
  })

  t.test('a digest is unknown only if its shard is verified for this process', async () => {
    assert.equal(await findPointer(link, digest), 'unverified')
    await claimShard(link, secretShard(digest), 'replay')
    assert.equal(await findPointer(link, digest), 'unverified')
    await verify('other run')
    assert.equal(await findPointer(link, digest), 'unverified')
    await verify('this run')
    assert.equal(await findPointer(link, digest), 'unknown')
  })

  t.test('only the shard of the digest must be verified', async () => {
    assert.ok(await verifyNow(link, 'kc5', 1, 'this run'))
    assert.equal(await findPointer(link, digest), 'unverified')
  })

  t.test('a malformed pointer is an error', async () => {
    await anyRun.client.set(pointerName(digest), '{"key":"key_1"}')
    await assert.rejects(findPointer(link, digest))
  })
})
