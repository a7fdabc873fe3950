import type Stripe from 'stripe'
import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import type { CallRecord } from './call-record.ts'
import type { Failures } from './failures.ts'

/** The parts that API calls, pages and controls share. */
export interface Api {
  readonly context: PaymentsContext
  readonly calls: CallRecord
  readonly failures: Failures
  /** Idempotency keys of calls in progress. */
  readonly keysInUse: Set<string>
  /** Runs everything that is due by now: renewals, retries, expiries. */
  catchUp(): void
  /** Sends the stored events to the webhook endpoints. */
  deliver(): void
  /** Runs a change. Its events name the request. */
  runForRequest<Result>(request: Stripe.Event.Request, change: () => Result): Result
  /** Aborted when the server stops. */
  readonly stop: AbortSignal
}

/** Runs a change in a transaction, then sends its events. */
export function changeInTransaction<Result>(api: Api, change: () => Result): Result {
  const result = inTransaction(api.context.database, change)
  api.deliver()
  return result
}
