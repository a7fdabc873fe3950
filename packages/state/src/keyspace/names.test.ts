import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import {
  accountName,
  accountShard,
  accountShards,
  allShards,
  pointerName,
  secretShard,
  secretShards,
  shardMarker
} from './names.ts'

/** The hash tag, which decides the slot in a Redis Cluster: the text between the first braces. */
const tagOf = (name: string) => /\{([^}]+)\}/.exec(name)?.[1]

test('there are 256 shards of accounts and 256 of secrets', async () => {
  assert.equal(new Set(accountShards).size, 256)
  assert.equal(new Set(secretShards).size, 256)
  assert.deepEqual(allShards, [...accountShards, ...secretShards])
  assert.deepEqual([accountShards[0], accountShards[255], secretShards[10]], ['a00', 'aff', 'k0a'])
})

test('names stay the same: a new name needs a new number in the field of the marker', async () => {
  const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
  assert.equal(accountShard(account), 'a14')
  assert.equal(accountName(account), `acct:{a14}:${account}`)
  const digest = `c4${'0'.repeat(62)}`
  assert.equal(secretShard(digest), 'kc4')
  assert.equal(pointerName(digest), `key:{kc4}:${digest}`)
  assert.equal(shardMarker('a3f'), 'shard:{a3f}')
})

test('all names of an account share the slot of its marker, and so does each pointer', async () => {
  fc.assert(
    fc.property(fc.uuid(), (account) => {
      const shard = accountShard(account)
      assert.ok(accountShards.includes(shard))
      for (const name of [accountName(account), shardMarker(shard)]) assert.equal(tagOf(name), shard)
    })
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }), (digest) => {
      const shard = secretShard(digest)
      assert.ok(secretShards.includes(shard))
      for (const name of [pointerName(digest), shardMarker(shard)]) assert.equal(tagOf(name), shard)
    })
  )
})

test('accounts spread over the shards', async () => {
  const counts = new Map<string, number>()
  for (let number = 0; number < 25_600; number++) {
    const shard = accountShard(`account ${number}`)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  assert.equal(counts.size, 256)
  // 100 on average; five standard deviations.
  for (const [shard, count] of counts) assert.ok(count > 50 && count < 150, `${shard}: ${count}`)
})
