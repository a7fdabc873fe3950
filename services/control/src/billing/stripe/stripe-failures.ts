import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import Stripe from 'stripe'
import { NoSuchCustomerError } from '../payments.ts'

/** Whether the provider refused a parameter of the request. */
export function isRefused(error: unknown, parameter: string): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === parameter
}

/** Whether the provider does not know the object that a parameter names. */
export function isMissing(error: unknown, parameter: string): boolean {
  return isRefused(error, parameter) && error.code === 'resource_missing'
}

/** Whether the provider says that a subscription will create no further invoice. */
export const isNothingUpcoming = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'invoice_upcoming_none'

/** Converts errors of a call. @param customer the customer of the call; the provider may not know it */
export async function guarded<Result>(call: () => Promise<Result>, customer?: string): Promise<Result> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof NoSuchCustomerError) throw cause
    if (customer !== undefined && (isMissing(cause, 'customer') || isMissing(cause, 'id'))) {
      throw new NoSuchCustomerError(customer, { cause })
    }
    throw new ServiceError('payments_unavailable', { cause })
  }
}
