import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

const nanosPerUsd = 1e9

/**
 * The own cap that somebody asks for, in nanodollars.
 *
 * @param usd null for none
 * @param planCapNanos the plan's monthly cap, above which an own one would mean nothing
 * @throws ServiceError `invalid_request` naming the field
 */
export function readOwnCap(usd: number | null, planCapNanos: number): number | null {
  if (usd === null) return null
  const nanos = nanosOfUsd(usd)
  if (nanos > planCapNanos) throw refused(`must not be above the plan's ${toUsd(planCapNanos)}`)
  return nanos
}

/**
 * A monthly budget in nanodollars.
 *
 * @throws ServiceError `invalid_request` if it has more decimals than those have
 */
export function nanosOfUsd(usd: number): number {
  const nanos = Math.round(usd * nanosPerUsd)
  // Division is correctly rounded: it gives back any number that was written with nine decimals.
  if (toUsd(nanos) !== usd) throw refused('must have no more than nine decimals')
  return nanos
}

export const toUsd = (nanos: number): number => nanos / nanosPerUsd

const refused = (reason: string) => new ServiceError('invalid_request', { message: `monthly_budget_usd: ${reason}` })
