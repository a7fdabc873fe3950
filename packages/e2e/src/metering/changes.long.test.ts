import assert from 'node:assert/strict'
import t from 'tap'
import { chatModel, planOf, prices } from './catalog.ts'
import { hasNoHolds, producedNanos, readCharges, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Key } from './records.ts'
import { type Asked, outcomesOf, startTraffic } from './traffic.ts'

const perSecond = 50
const sampleSize = 25
const models = { small: chatModel('x+pace-ms=0'), large: chatModel('x+pace-ms=0') }
const plans = { free: planOf({ small: models.small }), pro: planOf(models) }
const body = (model: string) => ({ model, max_tokens: 8, messages: [{ role: 'user', content: 'Say 8 words.' }] })

let fleet: Fleet
t.before(async () => {
  fleet = await startFleet({ gateways: 4, catalog: { models, plans } })
})
t.teardown(() => fleet.stop())
t.beforeEach(() => fleet.models.clear())

interface Change {
  make: () => Promise<unknown>
  outcome: string
}

/** Makes changes during traffic, and checks the requests sent after Redis has each change. @returns all requests */
async function change(key: Key, model: string, before: string, changes: readonly Change[]): Promise<readonly Asked[]> {
  const { secret } = key
  const traffic = startTraffic(fleet.urls, perSecond, () => ({ secret, body: body(model) }))
  let requests = await traffic.next(sampleSize)
  assert.deepEqual(outcomesOf(requests), [before])
  for (const { make, outcome } of changes) {
    await make()
    requests = await traffic.next(sampleSize)
    assert.deepEqual(outcomesOf(requests), [outcome])
  }
  return traffic.stop()
}

t.test('a change applies from the next admission on, at every gateway', async (t) => {
  const { records } = fleet
  const account = await records.addAccount()
  const key = await records.addKey(account)
  const spent = async () => (await readCharges(records.link, account)).settled

  t.comment('plan')
  await change(key, 'large', '403 model_not_allowed', [
    { make: () => records.changeAccount(account, { plan: 'pro' }), outcome: '200' },
    { make: () => records.changeAccount(account, { plan: 'free' }), outcome: '403 model_not_allowed' },
    { make: () => records.changeAccount(account, { plan: 'pro' }), outcome: '200' },
    { make: () => records.changeAccount(account, { status: 'suspended' }), outcome: '403 account_suspended' },
    { make: () => records.changeAccount(account, { status: 'active' }), outcome: '200' }
  ])
  t.comment('own cap')
  const capped = await change(key, 'small', '200', [
    {
      make: async () => records.changeAccount(account, { ownCapNanos: Math.floor((await spent()) / 2) }),
      outcome: '402 monthly_budget_exceeded'
    },
    { make: () => records.changeAccount(account, { ownCapNanos: null }), outcome: '200' }
  ])
  t.comment('key budget')
  const budgeted = await change(key, 'small', '200', [
    { make: () => records.changeKey(key, { monthlyBudgetNanos: 1 }), outcome: '402 key_budget_exceeded' },
    {
      make: async () => records.changeKey(key, { monthlyBudgetNanos: (await spent()) + 1e9 }),
      outcome: '200'
    },
    { make: () => records.changeKey(key, { monthlyBudgetNanos: 0 }), outcome: '402 key_budget_exceeded' },
    { make: () => records.changeKey(key, { monthlyBudgetNanos: null }), outcome: '200' }
  ])
  const refusals = (requests: readonly Asked[]) =>
    requests.filter(({ outcome }) => outcome.startsWith('402')).map(({ answer }) => answer.error!)
  assert.ok(
    refusals(capped).every(
      ({ scope, limit_usd, spent_usd }) => scope === 'account' && Number(limit_usd) < Number(spent_usd)
    ),
    'the cap is below the spend'
  )
  assert.ok(refusals(budgeted).every(({ scope }) => scope === 'key'))
  const { settled } = await untilCharges(records.link, account, hasNoHolds)
  assert.equal(settled, producedNanos(fleet.models.requests(), prices), 'everything served is charged')
})

t.test('the next request refuses a rotated secret and a revoked key, and accepts the new secret', async () => {
  const { records, urls } = fleet
  const account = await records.addAccount()
  const key = await records.addKey(account)
  const { secret: before } = key
  const old = startTraffic(urls, perSecond / 2, () => ({ secret: before, body: body('small') }))
  const current = startTraffic(urls, perSecond / 2, () => ({ secret: key.secret, body: body('small') }))
  assert.deepEqual(outcomesOf(await current.next(sampleSize)), ['200'])

  await records.rotate(key)
  const [ofOld, ofNew] = await Promise.all([old.next(sampleSize), current.next(sampleSize)])
  assert.deepEqual([outcomesOf(ofOld), outcomesOf(ofNew)], [['401 revoked_api_key'], ['200']])
  assert.deepEqual(outcomesOf(await old.stop()), ['200', '401 revoked_api_key'])

  await records.changeKey(key, { status: 'revoked' })
  assert.deepEqual(outcomesOf(await current.next(sampleSize)), ['401 revoked_api_key'])
  assert.deepEqual(outcomesOf(await current.stop()), ['200', '401 revoked_api_key'])
  const { settled } = await untilCharges(records.link, account, hasNoHolds)
  assert.equal(settled, producedNanos(fleet.models.requests(), prices))
})
