import assert from 'node:assert/strict'
import { accountShard } from '../keyspace/names.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { claimShard, putAccountRecord, putKeyRecord, stampShard } from './project.ts'
import { prepareVerification } from './verify.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)

testOnEveryRedis('a prepared call', async (t, link, kind) => {
  async function fill(run: string): Promise<void> {
    await putAccountRecord(link, account, 1, { plan: 'free', status: 'active', ownCapNanos: null })
    await putKeyRecord(link, account, 'key_ü', 2, {
      status: 'active',
      digest: 'c'.repeat(64),
      previous: null,
      expiresAt: null,
      models: null,
      monthlyBudgetNanos: null,
      requestsPerMinute: null
    })
    assert.ok(await stampShard(link, await claimShard(link, shard, 'test'), 2, run))
  }
  const call = () => prepareVerification(account, 'key_ü', { key: '2', account: '1' }, null)

  t.test('is answered again and again, whatever its arguments are made of', async () => {
    await fill(link.run())
    const prepared = call()
    assert.equal(await prepared.send(link), 'admitted')
    assert.deepEqual(await Promise.all([prepared.send(link), link.client.ping(), prepared.send(link)]), [
      'admitted',
      'PONG',
      'admitted'
    ])
  })

  t.test('names the run that it is sent to, not the one that it was sent to first', async () => {
    await fill('the second run')
    const prepared = call()
    assert.equal(await prepared.send(link), 'unverified')
    assert.equal(await prepared.send(withRun(link, 'the second run')), 'admitted')
  })

  t.test('is answered by a server that has lost its scripts', async () => {
    if (kind === 'js-redis-server') return t.comment('js-redis-server has no SCRIPT FLUSH')
    await fill(link.run())
    const prepared = call()
    assert.equal(await prepared.send(link), 'admitted')
    await link.client.script('FLUSH')
    assert.deepEqual(await Promise.all([prepared.send(link), prepared.send(link)]), ['admitted', 'admitted'])
  })
})
