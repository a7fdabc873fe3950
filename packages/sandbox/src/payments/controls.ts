import { changeSubscription } from './changes.ts'
import { completeCheckout, type Payment } from './checkout.ts'
import type { PaymentsContext } from './context.ts'
import type { Delivery } from './database.ts'
import type { Deliverer } from './deliverer.ts'
import { invalidRequest } from './errors.ts'
import { findResource } from './find.ts'
import { type Api, changeInTransaction, type Failure, type RecordedCall } from './http/api.ts'
import { failRefund, refundInvoice } from './refunds.ts'
import { runDue } from './run-due.ts'
import type { WireCheckoutSession, WireEvent, WireRefund, WireSubscription } from './wire.ts'

/** Controls of the account for tests. */
export interface Controls {
  /** Unix seconds of the account's clock. */
  nowS(): number
  /** Advances the clock and runs everything that becomes due. @returns the new time, Unix seconds */
  advance(seconds: number): number
  /** Resolves when every event is delivered or has failed for good. */
  settled(): Promise<void>
  deliveries(): Delivery[]
  /** All events, oldest first. */
  events(): WireEvent[]
  /** Plans a failure of the next matching API calls. */
  failNext(failure: Failure): void
  plannedFailures(): Failure[]
  clearFailures(): void
  /** The API calls so far, oldest first. */
  calls(): readonly RecordedCall[]
  clearCalls(): void
  /** Sets a subscription's status directly. */
  setStatus(subscriptionId: string, status: WireSubscription['status']): WireSubscription
  /** Pays an open checkout session as its page does, with a working card by default. */
  pay(sessionId: string, payment?: Partial<ControlledPayment>): WireCheckoutSession
  /** Refunds a paid invoice as Stripe's dashboard does. @param amount by default, all that is left */
  refund(invoiceId: string, amount?: number): WireRefund
  /** Fails a refund that had succeeded. */
  failRefund(refundId: string): WireRefund
}

export interface ControlledPayment extends Payment {
  /**
   * When the session was paid, Unix seconds; now by default. From an earlier time on, the subscription has renewed as
   * often as it would have by now.
   */
  readonly paid_at: number
}

export function createControls(api: Api, deliverer: Deliverer): Controls {
  const { context } = api
  const { clock, deliveries, objects } = context

  return {
    nowS: () => clock.nowS(),
    advance(seconds) {
      if (seconds < 0) throw invalidRequest('The clock cannot be turned back.')
      runDue(context, clock.nowS() + seconds)
      clock.advance(seconds)
      api.deliver()
      return clock.nowS()
    },
    settled: () => deliverer.settled(),
    deliveries: () => deliveries.all(),
    events: () => objects.list('event').reverse(),
    failNext: (failure) => api.failures.plan(failure),
    plannedFailures: () => api.failures.planned(),
    clearFailures: () => api.failures.clear(),
    calls: () => api.calls.list(),
    clearCalls: () => api.calls.clear(),
    setStatus: (id, status) => change(api, () => setStatus(context, id, status)),
    pay(id, { paid_at = clock.nowS(), ...payment } = {}) {
      if (paid_at > clock.nowS()) throw invalidRequest('paid_at cannot be in the future.', { param: 'paid_at' })
      const session = findResource(context, 'checkout.session', id)
      const year = new Date(clock.nowS() * 1000).getUTCFullYear() + 1
      const filledIn = {
        number: '4242424242424242',
        expiry: `12/${year}`,
        cvc: '123',
        name: 'Test Person',
        email: session.customer_details?.email ?? 'test@example.com',
        ...payment
      }
      const paid = change(api, () => clock.at(paid_at, () => completeCheckout(context, session, filledIn)))
      api.catchUp()
      api.deliver()
      return paid
    },
    refund: (invoiceId, amount) => changeAndDeliver(api, () => refundInvoice(context, invoiceId, amount)),
    failRefund: (refundId) => changeAndDeliver(api, () => failRefund(context, refundId))
  }
}

function change<Result>(api: Api, run: () => Result): Result {
  api.catchUp()
  return changeInTransaction(api, run)
}

function changeAndDeliver<Result>(api: Api, run: () => Result): Result {
  const result = change(api, run)
  api.deliver()
  return result
}

function setStatus(context: PaymentsContext, id: string, status: WireSubscription['status']): WireSubscription {
  const subscription = findResource(context, 'subscription', id)
  const hasEnded = status === 'canceled' || status === 'incomplete_expired'
  return changeSubscription(context, subscription, {
    status,
    ended_at: hasEnded ? (subscription.ended_at ?? context.clock.nowS()) : null
  })
}
