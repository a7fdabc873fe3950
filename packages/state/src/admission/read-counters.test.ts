import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountShard, monthNumber } from '../keyspace/names.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { changeAccount, changeKey } from '../testing/account-state.ts'
import { activeKey, admitOne } from '../testing/one-account.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis, withRun } from '../testing/redis-servers.ts'
import { prepareAccount } from '../wire/packed.ts'
import { prepareAdmission } from './admit.ts'
import { readCounters } from './read-counters.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }
const month = monthNumber(new Date())
const limit = 1000
const allowances = {
  keyBudgetNanos: limit,
  accountBudgetNanos: limit,
  adjusted: null,
  keyRequests: 60,
  keyRequestBurst: 60,
  requests: 60,
  requestBurst: 60,
  tokens: 1e6,
  tokenBurst: 1e6,
  concurrentRequests: 100,
  requestNanos: 1e9,
  windows: []
}

testOnEveryRedis('the counters of a key', async (t, anyRun) => {
  const link = withRun(anyRun, 'this run')
  const admission = prepareAdmission(
    prepareAccount(account),
    'key_1',
    { key: '11', account: '10' },
    null,
    allowances,
    60_000
  )
  const ask = (nanos: number) =>
    admitOne(link, admission, {
      id: `req_${crypto.randomUUID()}`,
      model: 'a-model',
      bound: {
        promptPicos: nanos * 1000,
        promptTokens: 1,
        outputPicos: 0,
        outputTokens: 1,
        wantedTokens: 1,
        minTokens: 1
      }
    })
  t.beforeEach(async () => {
    await verifyNow(link, accountShard(account), 9, 'this run')
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, activeKey)
    await verifyNow(link, accountShard(account), 11, 'this run')
  })

  t.test('they are those by which admission refuses, in this month and after another one', async () => {
    for (const ofMonth of [month, month - 100]) {
      await changeAccount(link.client, account, { month: ofMonth, settled: 30, reserved: 0 })
      await changeKey(link.client, account, 'key_1', { month: ofMonth, settled: 20, reserved: 0 })
      assert.equal((await ask(7)).outcome, 'admitted')
      const counters = await readCounters(link, account, 'key_1')
      const refusal = await ask(limit)
      assert.ok(refusal.outcome === 'over-budget' && refusal.scope === 'key')
      const { settled, reserved } = counters!.key
      assert.deepEqual([settled, reserved, counters!.key.month], [refusal.settled, refusal.reserved, refusal.window])
      assert.deepEqual([settled, reserved], [ofMonth === month ? 20 : 0, 7])
      assert.equal(counters!.account.settled, ofMonth === month ? 30 : 0)
      assert.ok(counters!.account.open > 0 && counters!.key.arrival > counters!.now)
    }
  })

  t.test('an unused key has used nothing', async () => {
    const counters = await readCounters(link, account, 'key_2')
    assert.partialDeepStrictEqual(counters, { account: { month, settled: 0 }, key: { month, settled: 0, arrival: 0 } })
  })

  t.test('there are none for another process, and without a seeded spend', async () => {
    assert.equal(await readCounters(withRun(anyRun, 'other run'), account, 'key_1'), null)
    await changeAccount(link.client, account, { month: 0 })
    assert.equal(await readCounters(link, account, 'key_1'), null)
  })
})
