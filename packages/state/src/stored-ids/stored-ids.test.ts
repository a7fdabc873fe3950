import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { olderIdsName, storedIdsName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { findIds, forgetId, type IdOwner, rememberIds, type StoredId, storedIdMs } from './stored-ids.ts'

const idOf = (number: number): StoredId => ({
  id: `msg_${number}`,
  upstream: 'a-b_1',
  tokens: number,
  source: 's-_',
  model: 'a model'
})

const [ada, bob, eve] = ['ada', 'bob', 'eve'].map((account) => ({ account, key: `key of ${account}` })) as [
  IdOwner,
  IdOwner,
  IdOwner
]

testOnEveryRedis('stored ids', async (t, link) => {
  t.test('an account finds its own ids, and no others', async () => {
    await rememberIds(link, ada, [idOf(1), idOf(2)])
    await rememberIds(link, bob, [idOf(3)])
    assert.deepEqual(await findIds(link, ada, ['msg_2', 'msg_3', 'msg_1', '']), [idOf(2), null, idOf(1), null])
    assert.deepEqual(await findIds(link, bob, ['msg_1', 'msg_3']), [null, idOf(3)])
    assert.deepEqual(await findIds(link, eve, ['msg_1']), [null])
  })

  t.test('a key finds no ids of another key of its account, but those that release 0.3.0 remembered', async () => {
    const other = { account: 'ada', key: 'another key' }
    await rememberIds(link, ada, [idOf(1)])
    await rememberIds(link, other, [idOf(2)])
    await link.client.hset(
      storedIdsName('ada'),
      hash('sha256', 'msg_3', 'base64url').slice(0, 16),
      'a-b_1 3 s-_ a model'
    )
    assert.deepEqual(await findIds(link, ada, ['msg_1', 'msg_2', 'msg_3']), [idOf(1), null, idOf(3)])
    assert.deepEqual(await findIds(link, other, ['msg_1', 'msg_2', 'msg_3']), [null, idOf(2), idOf(3)])
  })

  t.test('a forgotten id is not found', async () => {
    await rememberIds(link, ada, [idOf(1), idOf(2)])
    await forgetId(link, 'ada', 'msg_1')
    await forgetId(link, 'bob', 'msg_2')
    assert.deepEqual(await findIds(link, ada, ['msg_1', 'msg_2']), [null, idOf(2)])
    assert.equal(await link.client.hlen(storedIdsName('ada')), 2, 'the other id, and the time of the first')
  })

  t.test('the newest ids stay, up to a number', async () => {
    const all = Array.from({ length: 35 }, (_, number) => idOf(number))
    for (let from = 0; from < all.length; from += 5) {
      await rememberIds(link, ada, all.slice(from, from + 5), 10)
      const matches = await findIds(
        link,
        ada,
        all.map(({ id }) => id)
      )
      const entries = matches.flatMap((one) => one ?? [])
      assert.ok(entries.length >= Math.min(from + 5, 10) && entries.length <= 20, `${entries.length}`)
      assert.deepEqual(entries, all.slice(from + 5 - entries.length, from + 5))
    }
    await forgetId(link, 'ada', 'msg_25')
    assert.deepEqual(await findIds(link, ada, ['msg_25', 'msg_26']), [null, idOf(26)])
  })

  t.test('ids are forgotten 30 days after the last write beside them', async () => {
    const leftOf = (name: string) => link.client.pttl(name)
    await rememberIds(link, ada, [idOf(1)])
    await link.client.pexpire(storedIdsName('ada'), 1000)
    await rememberIds(link, ada, [idOf(2)])
    assert.ok((await leftOf(storedIdsName('ada'))) > storedIdMs - 60_000)
    // As if the first write was 30 days ago.
    await link.client.hset(storedIdsName('ada'), 'born', Date.now() - storedIdMs - 60_000)
    await link.client.pexpire(storedIdsName('ada'), 5000)
    await rememberIds(link, ada, [idOf(3)])
    assert.deepEqual(await findIds(link, ada, ['msg_1', 'msg_2', 'msg_3']), [idOf(1), idOf(2), idOf(3)])
    const [newer, older] = [await leftOf(storedIdsName('ada')), await leftOf(olderIdsName('ada'))]
    assert.ok(newer > storedIdMs - 60_000 && older > 0 && older <= 5000)
  })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      nodeOf: () => {
        throw new RedisAwayError()
      }
    }
    for (const asking of [rememberIds(away, ada, [idOf(1)]), findIds(away, ada, ['x']), forgetId(away, 'a', 'x')])
      await assert.rejects(asking, RedisAwayError)
  })
})
