import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord, Pointer } from '@tollgate/contracts/records/records.ts'
import type { Redis } from 'ioredis'
import { accountName, accountShard, pointerName, type Shard } from '../keyspace/names.ts'
import { readMarker } from '../testing/redis-content.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { claimShard, markVerified } from './shard-markers.ts'
import {
  deadPointerMs,
  type ProjectionWrite,
  putAccountRecord,
  putAll,
  putKeyRecord,
  putPointer
} from './write-records.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const digest = 'c4'.padEnd(64, '0')
const pointer: Pointer = { key: 'key_1', account, scope: 'inference' }
const active: KeyRecord = {
  status: 'active',
  digest,
  previous: null,
  expiresAt: null,
  models: null,
  monthlyBudgetNanos: null,
  requestsPerMinute: null
}
const revoked: KeyRecord = { ...active, status: 'revoked' }
const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

const hash = (client: Redis, name: string) => client.hgetall(name) as Promise<Record<string, string>>
const marker = (client: Redis, of: Shard = shard) => readMarker(client, of)

/** The hash of an account. Of packed fields only the version, which comes first. */
async function records(client: Redis): Promise<Record<string, string | number>> {
  const fields = Object.entries(await client.hgetallBuffer(accountName(account)))
  return Object.fromEntries(
    fields.map(([field, value]) => [field, field.startsWith('r') ? value.toString() : value.readDoubleLE(0)])
  )
}

testOnEveryRedis('records', async (t, link) => {
  const { client } = link

  t.test('a record is stored with its version, and the marker notes the highest', async () => {
    assert.equal(await putKeyRecord(link, account, 'key_1', 7, active), true)
    assert.equal(await putAccountRecord(link, account, 5, free), true)
    assert.deepEqual(await records(client), {
      a: 5,
      r: JSON.stringify(free),
      'k:key_1': 7,
      'r:key_1': JSON.stringify(active)
    })
    assert.deepEqual(await marker(client), { highest: '7' })
  })

  t.test('an older record never replaces a newer one, whatever the order of arrival', async () => {
    assert.equal(await putKeyRecord(link, account, 'key_1', 8, revoked), true)
    assert.equal(await putKeyRecord(link, account, 'key_1', 7, active), false)
    assert.deepEqual(await records(client), { 'k:key_1': 8, 'r:key_1': JSON.stringify(revoked) })
    assert.deepEqual(await marker(client), { highest: '8' })
  })

  t.test('the same record again changes nothing', async () => {
    assert.equal(await putKeyRecord(link, account, 'key_1', 8, revoked), true)
    assert.equal(await putKeyRecord(link, account, 'key_1', 8, revoked), false)
  })

  t.test('if a restored database uses a version again, the later record replaces the earlier one', async () => {
    await putKeyRecord(link, account, 'key_1', 8, active)
    assert.equal(await putKeyRecord(link, account, 'key_1', 8, revoked), true)
    assert.deepEqual(await records(client), { 'k:key_1': 8, 'r:key_1': JSON.stringify(revoked) })
  })

  t.test('versions are compared as numbers, up to the largest possible version', async () => {
    await putKeyRecord(link, account, 'key_1', 9, active)
    assert.equal(await putKeyRecord(link, account, 'key_1', 10, revoked), true)
    const largest = 9000 * 1e12 + 1e12 - 1
    assert.equal(await putKeyRecord(link, account, 'key_1', largest - 1, active), true)
    assert.equal(await putKeyRecord(link, account, 'key_1', largest, revoked), true)
    assert.equal(await putKeyRecord(link, account, 'key_1', largest - 1, active), false)
    assert.equal((await records(client))['k:key_1'], largest)
  })

  t.test('keys of an account do not touch each other', async () => {
    await putKeyRecord(link, account, 'key_1', 5, active)
    await putKeyRecord(link, account, 'key_2', 4, revoked)
    assert.deepEqual(await records(client), {
      'k:key_1': 5,
      'r:key_1': JSON.stringify(active),
      'k:key_2': 4,
      'r:key_2': JSON.stringify(revoked)
    })
  })

  t.test('the writes of a batch are made in order, and each has its outcome', async () => {
    const outcomes = await putAll(link, [
      { kind: 'account', account, version: 1, record: free },
      { kind: 'key', account, key: 'key_1', version: 3, record: revoked },
      { kind: 'key', account, key: 'key_1', version: 2, record: active },
      { kind: 'key', account, key: 'key_1', version: 3, record: revoked },
      { kind: 'pointer', digest, pointer, diedAt: null }
    ])
    assert.deepEqual(outcomes, ['stored', 'stored', 'later', 'present', 'stored'])
    assert.deepEqual(await putAll(link, []), [])
  })

  t.test('any number of writes to any shards can be made at once', async () => {
    const writes = Array.from({ length: 1000 }, (_, number): ProjectionWrite => {
      const of = `account ${number % 7}`
      if (number % 10 === 0) return { kind: 'account', account: of, version: number, record: free }
      if (number % 10 === 1) {
        const secret = (number % 20 === 1 ? 'a' : 'b') + number.toString(16).padStart(63, '0')
        return { kind: 'pointer', digest: secret, pointer, diedAt: null }
      }
      return { kind: 'key', account: 'account 7', key: `key_${number}`, version: number, record: active }
    })
    const outcomes = await putAll(link, writes)
    assert.deepEqual(
      outcomes,
      writes.map(() => 'stored')
    )
    assert.equal(Object.keys(await hash(client, accountName('account 7'))).length, 2 * 800)
    assert.equal((await client.keys('key:*')).length, 100)
    assert.equal((await client.keys('acct:*')).length, 8)
    assert.deepEqual(await marker(client, accountShard('account 7')), { highest: '999' })
    const again = await putAll(link, writes)
    assert.deepEqual(new Set(again.filter((_, number) => number % 10 > 1)), new Set(['present']))
  })

  t.test('one failed write fails the batch, and the marker has the highest version', async () => {
    await client.set(accountName(account), 'not a hash')
    const writes: ProjectionWrite[] = [
      { kind: 'account', account, version: 2, record: free },
      { kind: 'key', account, key: 'key_1', version: 3, record: revoked }
    ]
    await assert.rejects(putAll(link, writes), /WRONGTYPE/)
    assert.deepEqual(await marker(client), { highest: '3' })
  })
})

testOnEveryRedis('pointers', async (t, link) => {
  const { client } = link
  const name = pointerName(digest)

  t.test('the pointer of a live secret does not expire', async () => {
    await putPointer(link, digest, pointer)
    assert.deepEqual(JSON.parse((await client.get(name)) ?? ''), pointer)
    assert.equal(await client.pttl(name), -1)
  })

  t.test('a pointer expires an hour after its secret stopped working', async () => {
    await putPointer(link, digest, pointer)
    const diedAt = Date.now() - 1_800_000
    await putPointer(link, digest, pointer, diedAt)
    const rest = await client.pttl(name)
    const expected = diedAt + deadPointerMs - Date.now()
    assert.ok(Math.abs(rest - expected) < 5000, `${rest} ms`)
  })

  t.test('the pointer of a secret that a restored Postgres made valid again does not expire', async () => {
    await putPointer(link, digest, pointer, Date.now())
    await putPointer(link, digest, pointer)
    assert.equal(await client.pttl(name), -1)
  })

  t.test('a pointer is removed if its secret stopped working more than an hour ago', async () => {
    await putPointer(link, digest, pointer)
    await putPointer(link, digest, pointer, Date.now() - deadPointerMs - 1000)
    assert.equal(await client.get(name), null)
  })
})

testOnEveryRedis('a Redis at maxmemory', async (t, link, kind) => {
  // The in-memory Redis has no maxmemory.
  if (kind === 'js-redis-server') return
  const { client } = link

  t.test('stores tombstones and pointers, and marks shards as verified', async (tt) => {
    await putKeyRecord(link, account, 'key_1', 1, active)
    await client.config('SET', 'maxmemory', '1')
    tt.after(() => client.config('SET', 'maxmemory', '0'))
    await assert.rejects(client.set('anything', 'else'), /OOM/)
    const claim = await claimShard(link, shard, 'one')
    assert.equal(await putKeyRecord(link, account, 'key_1', 2, revoked), true)
    await putPointer(link, digest, pointer, Date.now())
    assert.equal(await markVerified(link, claim, { version: 2, run: 'run 1' }), true)
    assert.deepEqual(await marker(client), { version: 2, month: 0, run: 'run 1', highest: '2', since: '0' })
    assert.ok((await client.pttl(pointerName(digest))) > 0)
  })
})
