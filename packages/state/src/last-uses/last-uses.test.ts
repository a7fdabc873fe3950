import assert from 'node:assert/strict'
import { lastUsesName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { forgetUses, noteUses, readUses } from './last-uses.ts'

testOnEveryRedis('last uses', async (t, link) => {
  t.test('any number of uses is read as it was noted', async () => {
    assert.deepEqual(await readUses(link), new Map())
    await noteUses(link, new Map())
    assert.equal(await link.client.exists(lastUsesName), 0)
    const uses = new Map(Array.from({ length: 2345 }, (_, number) => [`key_${number}`, 1_790_000_000_000 + number]))
    await noteUses(link, uses)
    const read = await readUses(link)
    assert.equal(read.size, uses.size)
    for (const [key, at] of uses) assert.equal(read.get(key), at)
    await forgetUses(link, read)
    assert.equal(await link.client.exists(lastUsesName), 0)
  })

  t.test('the latest use counts, in whatever order gateways write', async () => {
    await noteUses(link, new Map([['a', 1_790_000_000_002]]))
    await noteUses(
      link,
      new Map([
        ['a', 1_790_000_000_001],
        ['b', 1_790_000_000_003]
      ])
    )
    assert.deepEqual(Object.fromEntries(await readUses(link)), { a: 1_790_000_000_002, b: 1_790_000_000_003 })
    await noteUses(link, new Map([['a', 1_790_000_000_004]]))
    assert.equal((await readUses(link)).get('a'), 1_790_000_000_004)
  })

  t.test('a use stays if the key was used again after the read', async () => {
    const read = new Map([
      ['a', 1_790_000_000_001],
      ['b', 1_790_000_000_001]
    ])
    await noteUses(link, read)
    await noteUses(link, new Map([['b', 1_790_000_000_002]]))
    await forgetUses(link, new Map([...read, ['c', 1]]))
    assert.deepEqual(await readUses(link), new Map([['b', 1_790_000_000_002]]))
    await forgetUses(link, read)
    assert.deepEqual(await readUses(link), new Map([['b', 1_790_000_000_002]]), 'a repeated call changes nothing')
  })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      run: () => {
        throw new RedisAwayError()
      }
    }
    for (const asking of [noteUses(away, new Map([['a', 1]])), readUses(away), forgetUses(away, new Map([['a', 1]]))]) {
      await assert.rejects(asking, RedisAwayError)
    }
  })
})
