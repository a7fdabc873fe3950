import assert from 'node:assert/strict'
import type { AccountRecord, KeyRecord, Pointer } from '@tollgate/contracts/records/records.ts'
import type { Redis } from 'ioredis'
import { monthNumber } from '../keyspace/month.ts'
import { accountName, accountShard, allShards, pointerName, type Shard } from '../keyspace/names.ts'
import { readMarker, stampNow, vouch } from '../testing/marker.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import {
  announceChange,
  claimShard,
  deadPointerMs,
  type ProjectionWrite,
  putAccountRecord,
  putAll,
  putCatalog,
  putKeyRecord,
  putPointer,
  readCatalog,
  readCatalogVersion,
  readShards,
  releaseShard,
  stampShard
} from './project.ts'

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

/** The hash of an account, with the versions in front of what else is kept. */
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

  t.test('the same version with another content is from a restored database: the later word counts', async () => {
    await putKeyRecord(link, account, 'key_1', 8, active)
    assert.equal(await putKeyRecord(link, account, 'key_1', 8, revoked), true)
    assert.deepEqual(await records(client), { 'k:key_1': 8, 'r:key_1': JSON.stringify(revoked) })
  })

  t.test('versions are compared as numbers, up to the largest there is', async () => {
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

  t.test('writes of a batch are made in order, and each tells what became of it', async () => {
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

  t.test('a write that fails fails all, and what was written before it is noted', async () => {
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

  t.test('a live pointer stays', async () => {
    await putPointer(link, digest, pointer)
    assert.deepEqual(JSON.parse((await client.get(name)) ?? ''), pointer)
    assert.equal(await client.pttl(name), -1)
  })

  t.test('a dead pointer goes an hour after its secret died', async () => {
    await putPointer(link, digest, pointer)
    const diedAt = Date.now() - 1_800_000
    await putPointer(link, digest, pointer, diedAt)
    const rest = await client.pttl(name)
    const expected = diedAt + deadPointerMs - Date.now()
    assert.ok(Math.abs(rest - expected) < 5000, `${rest} ms`)
  })

  t.test('a secret that lives again, in a restored Postgres, has no end any more', async () => {
    await putPointer(link, digest, pointer, Date.now())
    await putPointer(link, digest, pointer)
    assert.equal(await client.pttl(name), -1)
  })

  t.test('a pointer whose secret died longer ago is not there', async () => {
    await putPointer(link, digest, pointer)
    await putPointer(link, digest, pointer, Date.now() - deadPointerMs - 1000)
    assert.equal(await client.get(name), null)
  })
})

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
    await putKeyRecord(link, account, 'key_1', 15, active)
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

testOnEveryRedis('catalog and notices', async (t, link) => {
  t.test('a catalog comes back as it was put, and its version without its text', async () => {
    assert.equal(await readCatalog(link), null)
    assert.equal(await readCatalogVersion(link), null)
    const catalog = { version: 3, run: 'run 1', json: '{"models":{"é":1}}' }
    await putCatalog(link, catalog)
    assert.deepEqual(await readCatalog(link), catalog)
    assert.deepEqual(await readCatalogVersion(link), { version: 3, run: 'run 1' })
  })

  t.test('a notice reaches whoever listens', async (tt) => {
    const subscriber = link.client.duplicate({ enableOfflineQueue: true })
    tt.after(() => subscriber.disconnect())
    await subscriber.subscribe('changes')
    const heard = new Promise((resolve) => subscriber.once('message', (_channel, text) => resolve(JSON.parse(text))))
    await announceChange(link, { kind: 'key', account, key: 'key_1' })
    assert.deepEqual(await heard, { kind: 'key', account, key: 'key_1' })
    subscriber.disconnect()
  })
})

testOnEveryRedis('a full Redis', async (t, link, kind) => {
  // The stand-in knows no limit of memory.
  if (kind === 'js-redis-server') return
  const { client } = link

  t.test('takes tombstones, pointers and stamps all the same', async (tt) => {
    await putKeyRecord(link, account, 'key_1', 1, active)
    await client.config('SET', 'maxmemory', '1')
    tt.after(() => client.config('SET', 'maxmemory', '0'))
    await assert.rejects(client.set('anything', 'else'), /OOM/)
    const claim = await claimShard(link, shard, 'one')
    assert.equal(await putKeyRecord(link, account, 'key_1', 2, revoked), true)
    await putPointer(link, digest, pointer, Date.now())
    assert.equal(await stampShard(link, claim, { version: 2, run: 'run 1' }), true)
    assert.deepEqual(await marker(client), { version: 2, month: 0, run: 'run 1', highest: '2' })
    assert.ok((await client.pttl(pointerName(digest))) > 0)
  })
})
