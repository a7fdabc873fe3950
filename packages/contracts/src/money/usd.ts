const nanosPerUsd = 1_000_000_000n

/**
 * Formats whole nanodollars (1e-9 USD) as exact US dollars: `12.50`, or `0.000000001` for one nanodollar. The text has at least
 * two decimals, and no further zeros at its end.
 *
 * @param nanos not negative
 */
export function formatUsd(nanos: bigint): string {
  const decimals = (nanos % nanosPerUsd).toString().padStart(9, '0')
  return `${nanos / nanosPerUsd}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, '')}`
}

/** As {@link formatUsd}, for an amount that may be negative: `-0.50`. */
export const formatSignedUsd = (nanos: bigint): string => (nanos < 0n ? `-${formatUsd(-nanos)}` : formatUsd(nanos))
