import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

const nanosPerUsd = 1e9

/**
 * Reads the monthly cap that an owner asks for, in nanodollars.
 *
 * @param usd null to remove the cap
 * @param planCapNanos the plan's monthly cap; the owner's cap must not exceed it
 * @throws ServiceError `invalid_request` naming the field
 */
export function readOwnCap(usd: number | null, planCapNanos: number): number | null {
  if (usd === null) return null
  const nanos = nanosOfUsd(usd)
  if (nanos > planCapNanos) throw refused(`must not exceed the plan's budget of $${toUsd(planCapNanos)}`)
  return nanos
}

/**
 * Converts a monthly budget to nanodollars.
 *
 * @throws ServiceError `invalid_request` if it has more than nine decimals
 */
export const nanosOfUsd = (usd: number): number => exactNanos('monthly_budget_usd', usd)

/** Converts an amount of a request. @throws ServiceError `invalid_request` naming the field, for more than nine decimals */
export function exactNanos(field: string, usd: number): number {
  const nanos = Math.round(usd * nanosPerUsd)
  // Division rounds correctly, so it restores every number with up to nine decimals.
  if (toUsd(nanos) === usd) return nanos
  throw new ServiceError('invalid_request', { message: `${field}: must have no more than nine decimals` })
}

export const toUsd = (nanos: number): number => nanos / nanosPerUsd

const refused = (reason: string) => new ServiceError('invalid_request', { message: `monthly_budget_usd: ${reason}` })
