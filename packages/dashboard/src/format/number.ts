import { locale } from './locale.ts'

const exact = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number): string => exact.format(count)

/** Abbreviates counts from 10,000, such as `1.2M`. */
export const formatCompact = (count: number): string =>
  Math.abs(count) < 10_000 ? exact.format(count) : compact.format(count)

/** A count with its noun: `1 key`, `2 keys`. */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`
