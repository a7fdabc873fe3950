import type { NextCharge } from '@tollgate/contracts/http/billing.ts'
import type { Clock } from '../clocks/clock.ts'
import type { CustomerRow } from './customers.ts'
import type { Payments } from './payments.ts'

/** Discounts and credit change the amount without an event that control hears of. */
const freshMs = 10 * 60_000
/** Of one replica. The oldest are dropped first. */
const maxEntries = 1000
/** The provider computes a preview in a second or two. Longer is not worth the wait: the page says that it is not known. */
const timeoutMs = 4000

interface Entry {
  readonly version: string
  readonly readAt: number
  readonly charge: Promise<NextCharge | null>
}

/** Reads what an account will pay next. */
export interface NextCharges {
  /**
   * @returns null if nothing will be charged
   * @throws ServiceError `payments_unavailable`
   */
  read(customer: CustomerRow | null): Promise<NextCharge | null>
}

/**
 * Asks the payment provider for the next invoice, at most once in ten minutes for each customer. A refresh of the customer, as
 * after each event of the provider, makes it ask again. Concurrent calls share one request. Failures are not kept.
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
      const known = entries.get(customerId)
      if (known !== undefined && known.version === version && now - known.readAt < freshMs) return known.charge
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
