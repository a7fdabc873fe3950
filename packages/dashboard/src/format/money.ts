import { formatAmount as formatFor } from '@tollgate/contracts/money/currency.ts'
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

/** Formats the amount of an invoice or a price for the reader: see `formatAmount` of contracts. */
export const formatAmount = (amount: number, currency: string): string => formatFor(amount, currency, locale)
