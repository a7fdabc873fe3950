import assert from 'node:assert/strict'
import { accountName, accountShard, monthNumber, usageIndexName } from '@tollgate/state/keyspace/names.ts'
import { tagOf } from '@tollgate/state/settlement/settle.ts'
import { openSpends } from '@tollgate/state/spend/spend.ts'
import { readContent, writeContent } from '@tollgate/state/testing/redis-content.ts'
import { testOnEveryRedis, withRun } from '@tollgate/state/testing/redis-servers.ts'
import { forgetUsage, readUsage } from '@tollgate/state/usage/usage.ts'
import { createMemoryLedger } from '../usage/testing/memory-ledger.ts'
import { serve } from '../usage/testing/serve.ts'
import { copyUsage } from '../usage/usage-copier.ts'
import { findLostRuns } from './replay-shards.ts'
import { emptyState } from './testing/memory-source.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const shard = accountShard(account)
const [first, second] = ['11111111 is the first run 22222222', '33333333 is the second run 44444444']

testOnEveryRedis('after a restart control finds the run ids whose usage was lost', async (t, link) => {
  const one = withRun(link, first)
  const other = withRun(link, second)
  let state = emptyState()
  const ledger = createMemoryLedger(() => state)
  const copy = () => copyUsage(ledger, link, 'changed', { shards: [shard] })
  const lostRuns = async () => [...(await findLostRuns(ledger, link, [shard], new Date())).get(shard)!]
  const isSortedSet = (name: string) => /^(deadlines|rows):/.test(name)
  t.beforeEach(async () => {
    state = emptyState()
    state.accounts.set(account, {
      id: account,
      record: { plan: 'free', status: 'active', ownCapNanos: null },
      change: 1
    })
    await openSpends(link, [account], monthNumber(new Date()))
  })

  t.test('finds none if Redis has at least the copied usage', async () => {
    assert.deepEqual(await lostRuns(), [])
    await serve(one, account)
    await copy()
    assert.deepEqual(await lostRuns(), [])
    await serve(one, account)
    await serve(other, account)
    assert.deepEqual(await lostRuns(), [])
  })

  t.test('finds those whose state in Redis is older than the copied one', async () => {
    await serve(one, account)
    await serve(other, account)
    await copy()
    const dump = await readContent(link.client)
    await serve(other, account)
    await copy()
    await link.client.flushall()
    await writeContent(link.client, dump, isSortedSet)
    assert.deepEqual(await lostRuns(), [tagOf(second)])
    // Usage of other run ids does not replace it.
    await serve(one, account)
    assert.deepEqual(await lostRuns(), [tagOf(second)])
  })

  t.test('finds none if the lost usage had not been copied', async () => {
    await serve(one, account)
    await copy()
    const dump = await readContent(link.client)
    await serve(one, account)
    await link.client.flushall()
    await writeContent(link.client, dump, isSortedSet)
    assert.deepEqual(await lostRuns(), [])
  })

  t.test('finds all recent ones if Redis is empty, even if rows with the same names exist again', async () => {
    await serve(one, account, { upstream: 'openai' })
    await serve(other, account, { upstream: 'azure-eu', at: Math.floor(Date.now() / 1000) - 7200 })
    await serve(other, account)
    await copy()
    assert.deepEqual(await lostRuns(), [])
    await link.client.flushall()
    assert.deepEqual((await lostRuns()).toSorted(), [tagOf(first), tagOf(second)])
    await serve(one, account)
    assert.deepEqual((await lostRuns()).toSorted(), [tagOf(first), tagOf(second)])
  })

  t.test('does not find those whose final rows Redis removed', async () => {
    const seconds = Math.floor(Date.now() / 1000)
    await serve(one, account, { at: seconds })
    await serve(other, account, { at: seconds - 7200 })
    await copy()
    const before = await readContent(link.client)
    const names = await link.client.zrange(usageIndexName(shard), '0', '-1')
    assert.equal(names.length, 2)
    await forgetUsage(link, await readUsage(link, names), true)
    assert.equal(await link.client.exists(usageIndexName(shard)), 0)
    assert.deepEqual(await lostRuns(), [])
    // Redis' stored hour is lost with its data.
    await link.client.flushall()
    await writeContent(link.client, before, isSortedSet)
    assert.deepEqual(await lostRuns(), [])
    await link.client.del(accountName(account))
    assert.deepEqual((await lostRuns()).toSorted(), [tagOf(first), tagOf(second)])
  })
})
