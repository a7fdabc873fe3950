import assert from 'node:assert/strict'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { announceChange } from './changes.ts'
import { putCatalog, readCatalog, readCatalogVersion } from './stored-catalog.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'

testOnEveryRedis('catalog and notices', async (t, link) => {
  t.test('a catalog is read as it was stored, and its version can be read alone', async () => {
    assert.equal(await readCatalog(link), null)
    assert.equal(await readCatalogVersion(link), null)
    const catalog = { version: 3, run: 'run 1', json: '{"models":{"é":1}}' }
    assert.equal(await putCatalog(link, catalog), true)
    assert.deepEqual(await readCatalog(link), catalog)
    assert.deepEqual(await readCatalogVersion(link), { version: 3, run: 'run 1' })
  })

  t.test(
    'an earlier catalog does not replace a later one, and the same can be stored for another process',
    async () => {
      const later = { version: 12, run: 'run 1', json: '{"later":true}' }
      await putCatalog(link, later)
      assert.equal(await putCatalog(link, { version: 4, run: 'run 1', json: '{}' }), false)
      assert.deepEqual(await readCatalog(link), later)
      assert.equal(await putCatalog(link, { ...later, run: 'run 2' }), true)
      assert.equal((await readCatalogVersion(link))?.run, 'run 2')
    }
  )

  t.test('a notice reaches subscribers', async (tt) => {
    const subscriber = link.client.duplicate({ enableOfflineQueue: true })
    tt.after(() => subscriber.disconnect())
    await subscriber.subscribe('changes')
    const heard = new Promise((resolve) => subscriber.once('message', (_channel, text) => resolve(JSON.parse(text))))
    await announceChange(link, { kind: 'key', account, key: 'key_1' })
    assert.deepEqual(await heard, { kind: 'key', account, key: 'key_1' })
    subscriber.disconnect()
  })
})
