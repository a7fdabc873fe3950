import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { BillingPlan, NextCharge, OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import { eq } from 'drizzle-orm'
import { effectivePlan } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { type CustomerRow, findCustomer } from './customers.ts'
import type { Payments } from './payments.ts'
import { type BillingState, noSubscription } from './plan-from-subscriptions.ts'

/** The current plan of an account, and its payment status. */
export async function readPlan(orm: Orm, catalog: Catalog, accountId: string): Promise<BillingPlan> {
  const [account] = await orm.select({ plan: accounts.planInForce }).from(accounts).where(eq(accounts.id, accountId))
  const customer = await findCustomer(orm, accountId)
  return describePlan(catalog, account?.plan ?? freePlan, customer?.facts ?? noSubscription)
}

/**
 * @param stored the account's plan
 * @param facts of its subscription, which renews or ends even while an operator's plan applies
 */
export function describePlan(catalog: Catalog, stored: string, facts: BillingState): BillingPlan {
  const id = effectivePlan(catalog, stored)
  const { name, entitlements } = catalog.plans[id]!
  const isPaid = id !== freePlan && facts.plan === id
  return {
    id,
    name,
    renews_at: facts.renewsAt?.toISOString() ?? null,
    entitlements,
    past_due: facts.isPastDue,
    cancel_at: facts.cancelAt?.toISOString() ?? null,
    price_id: isPaid ? facts.priceId : null
  }
}

/** The plans of a catalog for people who compare them, without models and their prices. */
export function describeOffer({ plans }: Catalog): OfferedPlan[] {
  return Object.entries(plans).map(([id, { name, entitlements, keyQuota, seats, limits, caps, prices = [] }]) => ({
    id,
    name,
    entitlements,
    key_quota: keyQuota,
    seats,
    requests_per_minute: limits.requestsPerMinute,
    burst_requests: limits.burstRequests,
    tokens_per_minute: limits.tokensPerMinute,
    burst_tokens: limits.burstTokens,
    monthly_budget_usd: caps.monthlyNanos / 1e9,
    prices: prices.flatMap(({ isSold, ...price }) => (isSold ? [price] : []))
  }))
}

/** Discounts and credit change the amount without an event that control hears of. */
const freshMs = 10 * 60_000
/** Of one replica. The oldest are dropped first. */
const maxEntries = 1000
/**
 * The provider computes a preview in a second or two. Longer is not worth the wait: the page says that it is not known.
 */
const timeoutMs = 4000

interface Entry {
  readonly version: string
  readonly readAt: number
  readonly charge: Promise<NextCharge | null>
}

/** Reads what an account will pay next. */
interface NextCharges {
  /**
   * @returns null if nothing will be charged
   * @throws ServiceError `payments_unavailable`
   */
  read(customer: CustomerRow | null): Promise<NextCharge | null>
}

/**
 * Asks the payment provider for the next invoice, at most once in ten minutes for each customer. A refresh of the
 * customer, as after each event of the provider, makes it ask again. Concurrent calls share one request. Failures are
 * not kept.
 */
export function createNextCharges(
  payments: Pick<Payments, 'previewCharge' | 'startDeadline'>,
  clock: Clock
): NextCharges {
  const entries = new Map<string, Entry>()

  async function ask(customerId: string, subscriptionId: string, renewsAt: Date): Promise<NextCharge | null> {
    const signal = AbortSignal.any([payments.startDeadline(), AbortSignal.timeout(timeoutMs)])
    const charge = await payments.previewCharge({ customerId, subscriptionId }, signal)
    return charge && { ...charge, at: (charge.at ?? renewsAt).toISOString() }
  }

  return {
    async read(customer) {
      // Without a renewal nothing is charged, and nobody needs to be asked.
      if (customer === null) return null
      const { customerId, facts, readAt } = customer
      const { subscriptionId, renewsAt } = facts
      if (subscriptionId === null || renewsAt === null) return null
      const now = clock().getTime()
      const version = JSON.stringify([facts, readAt])
      const previous = entries.get(customerId)
      if (previous !== undefined && previous.version === version && now - previous.readAt < freshMs)
        return previous.charge
      const entry: Entry = { version, readAt: now, charge: ask(customerId, subscriptionId, renewsAt) }
      entries.delete(customerId)
      entries.set(customerId, entry)
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
      entry.charge.catch(() => {
        if (entries.get(customerId) === entry) entries.delete(customerId)
      })
      return entry.charge
    }
  }
}
