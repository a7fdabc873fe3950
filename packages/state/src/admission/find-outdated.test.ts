import assert from 'node:assert/strict'
import { assertFinds } from '../testing/redis-content.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { findOutdated } from './find-outdated.ts'

testOnEveryRedis('search for outdated records', async (t, link) => {
  t.test('a key is found if its record or that of its account has another version', () => assertFinds(link))

  t.test('a missing record is found if it was judged, and not otherwise', async () => {
    const [account, key] = [crypto.randomUUID(), 'key_1']
    const absent = { account, key, judged: { key: '', account: '' } }
    const lost = { account, key, judged: { key: '11', account: '10' } }
    assert.deepEqual(await findOutdated(link, [absent, lost]), { outdated: [lost], error: null })
  })

  t.test('no keys need no answer', async () => {
    assert.deepEqual(await findOutdated(link, []), { outdated: [], error: null })
  })
})
