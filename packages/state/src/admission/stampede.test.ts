import assert from 'node:assert/strict'
import { accountShard } from '../keyspace/names.ts'
import { connectServer } from '../link/connect-redis.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { cancel } from '../settlement/settle.ts'
import { readState } from '../testing/account-state.ts'
import { activeKey, admitOne } from '../testing/one-account.ts'
import { verifyNow } from '../testing/redis-content.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { prepareAccount } from '../wire/packed.ts'
import { type AdmitAnswer, prepareAdmission } from './admit.ts'

const account = '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11'
const keys = ['key_1', 'key_2', 'key_3']
const accountBudgetNanos = 40_000
/** Of all keys together: the tightest decides. */
const windows = [
  { field: 'bd:1', limit: 37_000 },
  { field: 'bw:2', limit: 36_000 },
  { field: 'bm:3', limit: 38_000 },
  { field: 'bl:4', limit: 39_000 }
]
const tightestNanos = 36_000
const keyBudgetNanos = 16_000
/** From 900 to 3000 nanodollars: 200 requests would cost ten times the budget. */
const boundOf = (number: number) => ({
  promptPicos: 900_000 + (number % 8) * 300_000,
  promptTokens: 10,
  outputPicos: 0,
  outputTokens: 1,
  wantedTokens: 100,
  minTokens: 100
})
const maxNanos = 3000

testOnEveryRedis('many admissions at once', async (t, link) => {
  t.test('200 admissions at once over four connections fill the budgets and never exceed them', async (t) => {
    // Spend is created in the open month.
    assert.ok(await verifyNow(link, accountShard(account), 0, link.run()))
    await putAccountRecord(link, account, 1, { plan: 'free', status: 'active', ownCapNanos: null })
    for (const key of keys) {
      await putKeyRecord(link, account, key, 2, activeKey)
    }
    const errors: Error[] = []
    const links = Array.from({ length: 4 }, (_, index) =>
      connectServer(`redis://127.0.0.1:${link.client.options.port}`, {
        name: `test ${index}`,
        silenceTimeoutMs: 30_000,
        onError: (error) => void errors.push(error)
      })
    )
    t.teardown(async () => void (await Promise.all(links.map((one) => one.close()))))
    await Promise.all(links.map((one) => one.ready()))
    const allowances = {
      keyBudgetNanos,
      accountBudgetNanos,
      adjusted: null,
      keyRequests: null,
      keyRequestBurst: null,
      requests: 10_000,
      requestBurst: 10_000,
      tokens: 1e9,
      tokenBurst: 1e9,
      concurrentRequests: 1000,
      requestNanos: maxNanos,
      windows
    }
    const ask = (number: number): Promise<AdmitAnswer> => {
      const admission = prepareAdmission(
        prepareAccount(account),
        keys[number % 3]!,
        { key: '2', account: '1' },
        null,
        allowances,
        60_000
      )
      const request = { id: `req_${number}`, model: 'a-model', bound: boundOf(number) }
      return admitOne(links[number % 4]!, admission, request)
    }
    const answers = await Promise.all(Array.from({ length: 200 }, (_, number) => ask(number)))

    const admitted = answers.flatMap((answer, number) => (answer.outcome === 'admitted' ? [{ number, ...answer }] : []))
    const sum = (of: typeof admitted) => of.reduce((total, { nanos }) => total + nanos, 0)
    assert.ok(sum(admitted) <= tightestNanos)
    assert.ok(sum(admitted) > tightestNanos - maxNanos)
    for (const index of keys.keys()) {
      assert.ok(sum(admitted.filter(({ number }) => number % 3 === index)) <= keyBudgetNanos)
    }
    for (const answer of answers) {
      if (answer.outcome === 'admitted') continue
      assert.ok(answer.outcome === 'over-budget' && answer.scope !== 'request')
      assert.ok(answer.needed > answer.limit - answer.settled - answer.reserved)
    }
    const state = await readState(link.client, account)
    assert.equal(state.holds.size, admitted.length)
    assert.equal(state.account?.open, admitted.length)
    assert.equal(state.account?.reserved, sum(admitted))
    for (const { field } of windows) assert.equal(state.budgets.get(field)?.reserved, sum(admitted))
    await cancel(
      link,
      account,
      admitted.map(({ number }) => `req_${number}`)
    )
    const after = await readState(link.client, account)
    assert.equal(after.account?.reserved, 0)
    for (const { field } of windows) assert.equal(after.budgets.get(field)?.reserved, 0)
    assert.deepEqual(errors, [])
  })
})
