import assert from 'node:assert/strict'
import { test } from 'tap'
import { codeOf } from '../testing/call-control.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startBilling } from './testing/start-billing.ts'

const minuteMs = 60_000
/** A delay longer than the test, however slow the machine. */
const neverMs = 3_600_000
const previews = 'POST /v1/invoices/create_preview'

test('the next charge', async (t) => {
  const billing = await startBilling({ paymentsTimeoutMs: 1500 })
  t.after(() => billing.close())
  const { control, payments, stripe, nextCharge, plan, buy, happens } = billing
  const { controls } = payments
  const countPreviews = () => controls.calls().filter(({ method, path }) => `${method} ${path}` === previews).length
  const charge = async (user: TestUser) => {
    const { status, body } = await nextCharge(user)
    assert.equal(status, 200, JSON.stringify(body))
    return (body as { next_charge: { amount: number; currency: string; at: string } | null }).next_charge
  }

  await t.test('nothing is charged without a subscription, and nobody is asked', async () => {
    const user = await control.signUp()
    controls.clearCalls()
    assert.equal(await charge(user), null)
    assert.deepEqual(controls.calls(), [])
  })

  await t.test('a subscription is charged at its renewal, until it is cancelled', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user, 'price_pro_yearly'))
    const { renews_at: renewsAt } = (await plan(user)) as { renews_at: string }
    const { at, ...amount } = (await charge(user))!
    assert.deepEqual(amount, { amount: 20000, currency: 'usd' })
    const laterMs = Date.parse(at) - Date.parse(renewsAt)
    assert.ok(laterMs >= 0 && laterMs <= 2 * 3_600_000, 'the provider charges about an hour after the renewal')
    await happens(() => stripe.subscriptions.update(subscription, { cancel_at_period_end: true }))
    controls.clearCalls()
    assert.equal(await charge(user), null)
    assert.equal(countPreviews(), 0)
    await happens(() => stripe.subscriptions.update(subscription, { cancel_at_period_end: false }))
    assert.equal((await charge(user))?.amount, 20000)
  })

  await t.test('a switch of the plan changes the next charge at once; what is left to pay is part of it', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    assert.equal((await charge(user))?.amount, 2000)
    const { items } = await stripe.subscriptions.retrieve(subscription)
    await happens(() =>
      stripe.subscriptions.update(subscription, { items: [{ id: items.data[0]!.id, price: 'price_team_monthly' }] })
    )
    const { amount } = (await charge(user))!
    const { amount_due: due } = await stripe.invoices.createPreview({ subscription })
    assert.equal(amount, due)
    assert.ok(amount > 6000, `${amount}`)
  })

  await t.test('the provider is asked once in ten minutes, also by concurrent calls', async () => {
    const user = await control.signUp()
    await happens(() => buy(user))
    controls.clearCalls()
    const answers = await Promise.all([charge(user), charge(user), charge(user)])
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    control.passTime(9 * minuteMs)
    await charge(user)
    assert.equal(countPreviews(), 1)
    control.passTime(minuteMs)
    await charge(user)
    assert.equal(countPreviews(), 2)
  })

  await t.test(
    'if the provider fails or is slow, the answer says so within seconds, and it is asked again',
    async () => {
      const user = await control.signUp()
      await happens(() => buy(user))
      for (const failure of [{ status: 500 }, { delay_ms: neverMs }, { status: 200, body: '{"object":"invoice"}' }]) {
        controls.failNext({ ...failure, count: 1000 })
        const startedAt = performance.now()
        const answer = await nextCharge(user)
        assert.deepEqual([answer.status, codeOf(answer)], [503, 'payments_unavailable'], JSON.stringify(failure))
        assert.ok(performance.now() - startedAt < 8000)
        assert.equal((await plan(user)).id, 'pro', 'the plan needs no provider')
        controls.clearFailures()
      }
      assert.equal((await charge(user))?.amount, 2000)
    }
  )
})
