import type { BillingPlan, OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import { SystemError } from '../system/system-error.ts'
import type { DemoSession } from './demo-session.ts'
import { untilInForce } from './until-in-force.ts'

/**
 * Subscribes the demo user to their plan, through checkout and the test card of the embedded payments server. A plan without a
 * monthly price, or with a subscription, stays as it is.
 *
 * @param payments the origin of the embedded payments server
 * @param paidAt when the subscription began; it has renewed each month since
 * @throws SystemError if control does not learn of the subscription
 */
export async function buyPlan(session: DemoSession, payments: string, paidAt: Date): Promise<void> {
  const readPlan = async () => (await session.call<{ plan: BillingPlan }>('GET', '/api/billing/plan')).plan
  const current = await readPlan()
  const { plans } = await session.call<{ plans: OfferedPlan[] }>('GET', '/api/billing/plans')
  const price = plans.find(({ id }) => id === current.id)?.prices.find(({ interval }) => interval === 'month')
  if (price === undefined || current.price_id !== null) return
  const { url } = await session.call<{ url: string }>('POST', '/api/billing/checkout', { price_id: price.id })
  const checkout = new URL(url).pathname.split('/').at(-1)
  const answer = await fetch(`${payments}/_sandbox/checkout/sessions/${checkout}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paid_at: Math.floor(paidAt.getTime() / 1000), name: 'Demo' })
  })
  if (!answer.ok) throw new SystemError(`Paying for the demo user's plan failed: ${await answer.text()}`)
  await untilInForce(
    async () => (await readPlan()).price_id !== null,
    "Control did not learn of the demo user's subscription. Check its log, then try again."
  )
}
