/**
 * Dollars for people: two decimals, and more where less than a cent would read as nothing.
 *
 * @param usd a number, or a decimal as the API writes it
 */
export function formatUsd(usd: string | number): string {
  const value = Number(usd)
  const isTiny = value !== 0 && Math.abs(value) < 0.01
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    ...(isTiny && { minimumFractionDigits: 2, maximumSignificantDigits: 2 })
  }).format(value)
}

/**
 * Whose amounts Stripe counts otherwise than in hundredths (docs.stripe.com/currencies, “Minor units” and “Special cases”). Not what standards say
 * of a currency's decimals: the Icelandic króna and the Ugandan shilling have none, and Stripe counts them in hundredths.
 */
const unusualDecimals = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (currency) => [currency, 0] as const
  ),
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((currency) => [currency, 3] as const)
])

/**
 * An amount as invoices and prices have it, in what Stripe counts a currency in.
 *
 * @param currency three letters, in either case; an amount in anything else is shown with what was given
 */
export function formatAmount(amount: number, currency: string): string {
  const code = currency.toUpperCase()
  const decimals = unusualDecimals.get(code) ?? 2
  const value = amount / 10 ** decimals
  const exact = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  if (!/^[A-Z]{3}$/.test(code)) return `${new Intl.NumberFormat('en-US', exact).format(value)} ${code}`.trim()
  const usual = new Intl.NumberFormat('en-US', { style: 'currency', currency: code })
  const { maximumFractionDigits: shown = 2 } = usual.resolvedOptions()
  // Where people leave the decimals away, they are shown only if they say something.
  const isWhole = Number.isInteger(value)
  return shown < decimals && !isWhole
    ? new Intl.NumberFormat('en-US', { style: 'currency', currency: code, ...exact }).format(value)
    : usual.format(value)
}
