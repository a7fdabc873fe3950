import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'

/** A cent in nanodollars. */
export const nanosPerCent = 10_000_000n

/** Sums of paid invoices in one currency, in its smallest unit. */
export interface Revenue {
  readonly currency: string
  readonly amount: number
}

/**
 * Revenue minus cost, in dollars.
 *
 * @returns null if there is revenue in another currency than dollars
 */
export function marginUsd(revenue: readonly Revenue[], costNanos: bigint): string | null {
  if (revenue.some(({ currency }) => currency !== 'usd')) return null
  const cents = revenue.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  return formatSignedUsd(cents * nanosPerCent - costNanos)
}
