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

/** An amount in a currency's smallest unit, as invoices have it. */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  return format.format(amount / 10 ** digits)
}
