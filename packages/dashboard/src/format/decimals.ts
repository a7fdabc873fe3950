import { locale } from './locale.ts'

const formats = [0, 1].map(
  (digits) => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
)

/** Formats a number with no decimal, or with one. */
export const formatDecimals = (value: number, digits: 0 | 1): string => formats[digits]?.format(value) ?? ''
