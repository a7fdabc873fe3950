import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { UsageResponse, UsageSummaryResponse } from '@tollgate/contracts/http/usage.ts'
import { readAccountRecord } from '@tollgate/contracts/records/records.ts'
import { accountName, monthNumber } from '@tollgate/state/keyspace/names.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

onDatabase('an operator adjusts usage', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const operator = await control.signUpOperator()
  const month = new Date().toISOString().slice(0, 7)
  const adjust = (id: string, body: object) =>
    call('POST', `/api/admin/accounts/${id}/adjustments`, {
      cookie: operator.cookie,
      body: { id: randomUUID(), month, reason: 'outage on the 3rd', ...body }
    })
  const adjusted = async (id: string) =>
    readAccountRecord((await control.redis.client.hget(accountName(id), 'r'))!).adjusted
  const spent = async (cookie: string) =>
    ((await call('GET', '/api/usage/summary', { cookie })).body as UsageSummaryResponse).spent_usd

  await t.test('a charge and a credit add up, are in force at the answer, and the customer sees both', async () => {
    const user = await control.signUp()
    assert.equal((await adjust(user.id, { amount_usd: 5 })).status, 200)
    assert.equal(await spent(user.cookie), '5.00')
    assert.equal((await adjust(user.id, { amount_usd: -1.000000001 })).status, 200)
    assert.deepEqual(await adjusted(user.id), { month: monthNumber(new Date()), nanos: 3_999_999_999 })
    assert.equal(await spent(user.cookie), '3.999999999')
    const usage = (await call('GET', '/api/usage', { cookie: user.cookie })).body as UsageResponse
    assert.deepEqual(
      usage.adjustments!.map(({ amount_usd: amount, reason, month: of }) => [amount, reason, of]),
      [
        ['-1.000000001', 'outage on the 3rd', month],
        ['5.00', 'outage on the 3rd', month]
      ]
    )
    assert.equal((await adjust(user.id, { amount_usd: -100 })).status, 200)
    assert.equal(await spent(user.cookie), '0.00')
  })

  await t.test('an adjustment of an earlier month leaves this month’s cap alone', async () => {
    const user = await control.signUp()
    await adjust(user.id, { amount_usd: 2 })
    assert.equal((await adjust(user.id, { amount_usd: 9, month: '2026-01' })).status, 200)
    assert.deepEqual(await adjusted(user.id), { month: monthNumber(new Date()), nanos: 2e9 })
    const path = '/api/usage?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z'
    const usage = (await call('GET', path, { cookie: user.cookie })).body as UsageResponse
    assert.deepEqual(
      usage.adjustments!.map(({ amount_usd: amount }) => amount),
      ['9.00']
    )
  })

  await t.test('a repeated call counts once; all of several at once count', async () => {
    const user = await control.signUp()
    const id = randomUUID()
    const answers = await Promise.all(Array.from({ length: 5 }, () => adjust(user.id, { id, amount_usd: 3 })))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200]
    )
    await Promise.all([1, 2, 3, 4].map((amount_usd) => adjust(user.id, { amount_usd })))
    assert.deepEqual((await adjusted(user.id))!.nanos, 13e9)
    assert.equal((await adjust(user.id, { id, amount_usd: 4 })).status, 400)
  })

  await t.test('for the future, for 0 or above a million it is refused', async () => {
    const user = await control.signUp()
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1)).toISOString()
    for (const wrong of [
      { amount_usd: 0 },
      { amount_usd: 1e-10 },
      { amount_usd: 1e6 + 1 },
      { amount_usd: 1, month: next.slice(0, 7) },
      { amount_usd: 1, month: '2026-13' }
    ]) {
      assert.equal((await adjust(user.id, wrong)).status, 400, JSON.stringify(wrong))
    }
    assert.equal((await adjust(randomUUID(), { amount_usd: 1 })).status, 404)
    assert.equal(await adjusted(user.id), undefined)
    await adjust(user.id, { amount_usd: 1e6 })
    assert.equal((await adjust(user.id, { amount_usd: 0.01 })).status, 400)
  })
})
