/** @param digits how many decimals of a dollar a whole amount counts @param fewest decimals to write, also zeros */
function formatExact(amount: bigint, digits: number, fewest: number): string {
  const perUsd = 10n ** BigInt(digits)
  const decimals = (amount % perUsd).toString().padStart(digits, '0')
  const written = decimals.slice(0, fewest) + decimals.slice(fewest).replace(/0+$/, '')
  return `${amount / perUsd}${written === '' ? '' : `.${written}`}`
}

/**
 * Formats whole nanodollars (1e-9 USD) as exact US dollars: `12.50`, or `0.000000001` for one nanodollar. The text has
 * at least two decimals, and no further zeros at its end.
 *
 * @param nanos not negative
 */
export const formatUsd = (nanos: bigint): string => formatExact(nanos, 9, 2)

/** The same for a safe integer. Gateways write amounts for every request. */
export function formatNanos(nanos: number): string {
  const rest = nanos % 1e9
  const whole = (nanos - rest) / 1e9
  if (rest === 0) return `${whole}.00`
  const decimals = String(rest).padStart(9, '0')
  let length = 9
  while (length > 2 && decimals.charCodeAt(length - 1) === 0x30) length--
  return `${whole}.${decimals.slice(0, length)}`
}

/** Like {@link formatUsd}, also for amounts below zero: `-12.50`. */
export const formatSignedUsd = (nanos: bigint): string => (nanos < 0n ? `-${formatUsd(-nanos)}` : formatUsd(nanos))

/**
 * Formats whole picodollars (1e-12 USD) as exact US dollars without an exponent, as OpenRouter writes prices:
 * `0.00000015`, or `0`. It has no zeros at its end, but for the fewest decimals.
 *
 * @param picos not negative
 */
export const formatPicos = (picos: bigint, fewestDecimals = 0): string => formatExact(picos, 12, fewestDecimals)
