/** Patterns of values that have one form. Words for people: {@link patternWords}. */
export const patterns = {
  month: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  upTo100: '^([1-9][0-9]?|100)$',
  upTo1000: '^([1-9][0-9]{0,2}|1000)$'
} as const

/** What a value must be, by the pattern that it does not match. Other patterns exclude characters. */
export const patternWords: ReadonlyMap<string, string> = new Map([
  [patterns.month, 'must be a month such as 2026-11'],
  [patterns.upTo100, 'must be a whole number from 1 to 100'],
  [patterns.upTo1000, 'must be a whole number from 1 to 1000']
])
