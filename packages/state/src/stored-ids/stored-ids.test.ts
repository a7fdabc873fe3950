import assert from 'node:assert/strict'
import { storedIdsName, storedOrderName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { findIds, forgetId, rememberIds, type StoredId, storedIdMs } from './stored-ids.ts'

const idOf = (number: number): StoredId => ({ id: `msg_${number}`, upstream: 'a-b_1', tokens: number, source: 's-_' })

testOnEveryRedis('stored ids', async (t, link) => {
  t.test('an account finds its own ids, and no others', async () => {
    await rememberIds(link, 'ada', [idOf(1), idOf(2)])
    await rememberIds(link, 'bob', [idOf(3)])
    assert.deepEqual(await findIds(link, 'ada', ['msg_2', 'msg_3', 'msg_1', '']), [idOf(2), null, idOf(1), null])
    assert.deepEqual(await findIds(link, 'bob', ['msg_1', 'msg_3']), [null, idOf(3)])
    assert.deepEqual(await findIds(link, 'eve', ['msg_1']), [null])
  })

  t.test('a forgotten id is not found', async () => {
    await rememberIds(link, 'ada', [idOf(1), idOf(2)])
    await forgetId(link, 'ada', 'msg_1')
    await forgetId(link, 'bob', 'msg_2')
    assert.deepEqual(await findIds(link, 'ada', ['msg_1', 'msg_2']), [null, idOf(2)])
    assert.equal(await link.client.zcard(storedOrderName('ada')), 1)
  })

  t.test('only the newest ids stay', async () => {
    // Their order is that of their names, too, which decides within a millisecond.
    const all = Array.from({ length: 30 }, (_, number) => ({ ...idOf(number), id: `msg_${100 + number}` }))
    for (let from = 0; from < all.length; from += 5) await rememberIds(link, 'ada', all.slice(from, from + 5), 12)
    const found = await findIds(
      link,
      'ada',
      all.map(({ id }) => id)
    )
    assert.deepEqual(found, [...Array(18).fill(null), ...all.slice(18)])
    assert.equal(await link.client.zcard(storedOrderName('ada')), 12)
  })

  t.test('an id is forgotten after 30 days, and all of them if the account gets no new ones', async () => {
    await rememberIds(link, 'ada', [idOf(1)])
    for (const name of [storedIdsName('ada'), storedOrderName('ada')]) {
      const left = await link.client.pttl(name)
      assert.ok(left > storedIdMs - 60_000 && left <= storedIdMs)
    }
    await link.client.zadd(storedOrderName('ada'), Date.now() - storedIdMs - 60_000, 'msg_1')
    await rememberIds(link, 'ada', [idOf(2)])
    assert.deepEqual(await findIds(link, 'ada', ['msg_1', 'msg_2']), [null, idOf(2)])
  })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      nodeOf: () => {
        throw new RedisAwayError()
      }
    }
    for (const asking of [rememberIds(away, 'a', [idOf(1)]), findIds(away, 'a', ['x']), forgetId(away, 'a', 'x')])
      await assert.rejects(asking, RedisAwayError)
  })
})
