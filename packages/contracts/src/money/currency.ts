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
 * @param locale the reader's languages
 */
export function formatAmount(amount: number, currency: string, locale?: string | readonly string[]): string {
  const code = currency.toUpperCase()
  const decimals = decimalsOf(currency)
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

/** How many decimals Stripe's minor unit of a currency stands for. */
export const decimalsOf = (currency: string): number => unusualDecimals.get(currency.toUpperCase()) ?? 2
