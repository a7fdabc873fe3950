import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import { teamOf } from '../team/testing/team-of.ts'
import { codeOf } from '../testing/call-control.ts'
import { stripeKey } from '../testing/control-options.ts'
import { findCustomers, leasedCustomers } from './customers.ts'
import { createStripePayments } from './stripe/stripe-payments.ts'
import { createSubscriptionSweeper } from './sweep-subscriptions.ts'
import { startBilling } from './testing/start-billing.ts'
import { catalog } from './testing/subscriptions.ts'

test('changes after a page was opened or a subscription was read', async (t) => {
  const billing = await startBilling()
  t.after(() => billing.close())
  const { control, payments, stripe, checkout, sessionOf, settle, buy, happens } = billing

  await t.test('a user who joins a team can no longer pay on an open page', async () => {
    const { invited, accept } = teamOf(control)
    const owner = await control.signUp({ plan: 'team' })
    const user = await control.signUp()
    const { id } = await sessionOf(await checkout(user))
    const { token } = await invited(owner, user)
    assert.equal((await accept(user, token)).status, 200)
    await settle()
    assert.equal((await stripe.checkout.sessions.retrieve(id)).status, 'expired')
  })

  await t.test('the comparison finds subscriptions whose price now gives another plan', async () => {
    const user = await control.signUp()
    await happens(() => buy(user, 'price_team_yearly'))
    await settle()
    const { pro, team, ...plans } = structuredClone(catalog.plans)
    const moved = {
      ...catalog,
      plans: {
        ...plans,
        pro: { ...pro!, prices: [...pro!.prices!, ...team!.prices!] },
        team: { ...team!, prices: [] }
      }
    }
    assert.deepEqual(await dueAfterComparison(catalog), [])
    assert.deepEqual(await dueAfterComparison(moved), [user.id])
    await settle()
  })

  await t.test('if a page is paid while another is requested, the request is refused', async () => {
    const user = await control.signUp()
    const { id } = await sessionOf(await checkout(user))
    payments.controls.failNext({ method: 'POST', path: '/v1/checkout/sessions/*/expire', delay_ms: 300 })
    const another = checkout(user, 'price_team_monthly')
    while (payments.controls.plannedFailures().length > 0) await setImmediate()
    await happens(() => payments.controls.pay(id))
    const answer = await another
    assert.deepEqual([answer.status, codeOf(answer)], [409, 'already_subscribed'])
    await settle()
  })

  await t.test('a customer with an incomplete payment is not refreshed at every comparison', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    await happens(() => payments.controls.setStatus(subscription, 'incomplete_expired'))
    await happens(() => buy(user))
    assert.deepEqual(await dueAfterComparison(catalog), [])
  })

  /** Accounts that are due after a sweep with this catalog. */
  async function dueAfterComparison(changed: typeof catalog): Promise<string[]> {
    control.passTime(3_600_000)
    const { database, sharedTime } = control
    const sweeper = createSubscriptionSweeper({
      database,
      payments: createStripePayments({ secretKey: stripeKey, apiBase: payments.url }),
      catalog: changed,
      sharedTime,
      log: { info() {}, warn() {} },
      intervalMs: 3_600_000,
      pauseMs: 0
    })
    assert.equal(await sweeper.look(), true)
    const isDue = leasedCustomers(database.orm, sharedTime).isDue()
    return (await findCustomers(database.orm, isDue, 10)).map(({ accountId }) => accountId)
  }
})
