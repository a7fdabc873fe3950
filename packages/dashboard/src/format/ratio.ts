import { locale } from './locale.ts'

const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const change = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero'
})

/** Formats a part of a whole: `0.7%`. */
export const formatShare = (part: number): string => share.format(part)

/** Formats a change in whole percents, with its sign: `+12%`, `-3%`, `0%`. */
export const formatChange = (ratio: number): string => change.format(ratio)
