import type Stripe from 'stripe'
import type { PaymentsContext } from '../context.ts'
import type { CallRecord } from './call-record.ts'
import type { Failures } from './failures.ts'

/** What carries out the calls of the API. */
export interface Api {
  readonly context: PaymentsContext
  readonly calls: CallRecord
  readonly failures: Failures
  /** Idempotency keys of calls that are being carried out. */
  readonly keysInUse: Set<string>
  /** Does what time has brought meanwhile. */
  catchUp(): void
  /** Sends the events of a change that is stored. */
  deliver(): void
  /** Carries out a change, whose events tell of the request. */
  onBehalfOf<Result>(request: Stripe.Event.Request, change: () => Result): Result
  /** Aborted when the server stops. */
  readonly stop: AbortSignal
}
