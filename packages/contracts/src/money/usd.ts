const nanosPerUsd = 1_000_000_000n

/**
 * Whole nanodollars (1e-9 USD) as US dollars in decimals, exactly: `12.5` dollars are `12.50`, one nanodollar is
 * `0.000000001`. At least two decimals, and no zeros after them that say nothing.
 *
 * @param nanos not negative
 */
export function formatUsd(nanos: bigint): string {
  const decimals = (nanos % nanosPerUsd).toString().padStart(9, '0')
  return `${nanos / nanosPerUsd}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, '')}`
}
