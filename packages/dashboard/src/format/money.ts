import { locale } from './number.ts'

const dollars = { style: 'currency', currency: 'USD' } as const

/**
 * Formats dollars with two decimals, and with more for amounts below one cent.
 *
 * @param usd a number, or a decimal string from the API
 */
export function formatUsd(usd: string | number): string {
  const value = Number(usd)
  const isTiny = value !== 0 && Math.abs(value) < 0.01
  return new Intl.NumberFormat(locale, {
    ...dollars,
    ...(isTiny && { minimumFractionDigits: 2, maximumSignificantDigits: 2 })
  }).format(value)
}

const short = new Intl.NumberFormat(locale, { ...dollars, trailingZeroDisplay: 'stripIfInteger' })

/** Formats dollars without the cents of a whole amount: `$20`, `$20.50`. */
export const formatShortUsd = (usd: string | number): string =>
  Math.abs(Number(usd)) < 0.01 && Number(usd) !== 0 ? formatUsd(usd) : short.format(Number(usd))

const exact = new Intl.NumberFormat(locale, {
  ...dollars,
  minimumFractionDigits: 2,
  maximumFractionDigits: 9
})

/** Formats dollars with all decimals that the API has: up to nine. */
export const formatExactUsd = (usd: string | number): string => exact.format(Number(usd))

/**
 * Currencies whose amounts Stripe does not count in hundredths (docs.stripe.com/currencies, “Minor units” and “Special
 * cases”). ISO 4217 differs: the Icelandic króna and the Ugandan shilling have no decimals, but Stripe counts
 * hundredths.
 */
const unusualDecimals = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (currency) => [currency, 0] as const
  ),
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((currency) => [currency, 3] as const)
])

/**
 * Formats the amount of an invoice or a price.
 *
 * @param amount in the minor unit that Stripe uses for the currency
 * @param currency an ISO 4217 code in either case; any other text is shown after the number
 */
export function formatAmount(amount: number, currency: string): string {
  const code = currency.toUpperCase()
  const decimals = unusualDecimals.get(code) ?? 2
  const value = amount / 10 ** decimals
  const exact = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  if (!/^[A-Z]{3}$/.test(code)) return `${new Intl.NumberFormat(locale, exact).format(value)} ${code}`.trim()
  const usual = new Intl.NumberFormat(locale, { style: 'currency', currency: code })
  const { maximumFractionDigits: digits = 2 } = usual.resolvedOptions()
  // Currencies usually written without decimals get them only if the amount is not whole.
  const isWhole = Number.isInteger(value)
  return digits < decimals && !isWhole
    ? new Intl.NumberFormat(locale, { style: 'currency', currency: code, ...exact }).format(value)
    : usual.format(value)
}
