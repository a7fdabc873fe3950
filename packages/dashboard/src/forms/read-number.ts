import { formatCount, locale } from '../format/number.ts'

/** The marks of a language: before the decimals, and between groups of three digits. */
export interface NumberMarks {
  readonly decimal: string
  readonly group: string
}

export function marksOf(locale: readonly string[] | undefined): NumberMarks {
  const parts = new Intl.NumberFormat(locale === undefined ? undefined : [...locale]).formatToParts(11_111.1)
  const mark = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: mark('decimal'), group: mark('group') }
}

/** How a number of a form is read. */
interface AmountKind {
  readonly isWhole?: boolean
  /** Whether it is an amount of US dollars, which people also paste with their mark: `$50`, `50 USD`. */
  readonly isMoney?: boolean
}

/** What a text says: a number; null and no problem for an empty one. */
export interface AmountReading {
  readonly value: number | null
  /** Why it is no number, and what to write instead. */
  readonly problem: string | null
}

/** As in the API: billionths of a dollar. */
const maxDecimals = 9

/** Reads what somebody typed or pasted into the field of a number. The range is for others to check. */
export function readAmount(
  text: string,
  marks: NumberMarks,
  { isWhole = false, isMoney = false }: AmountKind
): AmountReading {
  const typed = toAscii(text).trim()
  if (typed === '') return { value: null, problem: null }
  const bare = isMoney ? withoutDollars(typed) : typed
  const value = readNumber(bare, marks, isWhole)
  if (value === null) return { value: null, problem: explainUnread(bare, { isWhole, isMoney }) }
  if (isWhole && !Number.isInteger(value)) return { value: null, problem: 'Enter a whole number, without decimals.' }
  if (decimalsOf(bare) > maxDecimals) return { value: null, problem: `Enter at most ${maxDecimals} decimals.` }
  return { value, problem: null }
}

function explainUnread(text: string, { isWhole, isMoney }: AmountKind): string {
  if (/^[-−]?\d[\d.,\s'’]*$/.test(text)) return 'Write this number without separators of thousands.'
  if (isWhole === true) return 'Enter a whole number, such as 50.'
  return isMoney === true ? 'Enter an amount in US dollars, such as 50 or 12.50.' : 'Enter a number, such as 50 or 0.5.'
}

const dollars = String.raw`(?:US\s?\$|USD|\$)`
const before = new RegExp(`^([-−]?)\\s*${dollars}\\s*`, 'i')
const after = new RegExp(`\\s*${dollars}$`, 'i')

const withoutDollars = (text: string): string => text.replace(before, '$1').replace(after, '')

const decimalsOf = (text: string): number => /[.,](\d*?)0*$/.exec(text)?.[1]?.length ?? 0

/** Full-width and Arabic digits and marks as those of ASCII; spaces that are not seen as such as plain ones. */
const toAscii = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll('٫', '.')
    .replaceAll('٬', '')

/** Groups of three digits with the same mark between them, and maybe decimals after another mark. */
const grouped = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d*)?$/
/** A single mark, which stands before the decimals. */
const plain = /^(\d*)([.,]?)(\d*)$/

/**
 * Reads a number as it was meant: people write `7,5` where the language of their browser has `7.5`, and a budget ten
 * times as high would be worse than a question.
 *
 * @param isWhole whether only whole numbers are asked for, so that a mark in `1.000` stands for a thousand
 * @returns null if the number could be a thousand times as high, or is no number with `.` and `,` only
 */
export function readNumber(text: string, marks: NumberMarks, isWhole = false): number | null {
  const [, sign, digits = ''] = /^\s*([-−]?)(.*)$/.exec(text) ?? []
  const number = readDigits(digits, marks, isWhole)
  return number === null || sign === '' ? number : -number
}

function readDigits(text: string, { decimal, group }: NumberMarks, isWhole: boolean): number | null {
  // Spaces and apostrophes only stand between groups.
  const typed = text.replaceAll(/[\s'’]/g, '')
  const mark = grouped.exec(typed)?.[1]
  if (mark !== undefined) {
    const other = mark === '.' ? ',' : '.'
    const isGroup = isWhole || mark === group || typed.split(mark).length > 2 || typed.includes(other)
    if (isGroup) return Number(typed.replaceAll(mark, '').replace(other, '.'))
    if (mark !== decimal) return null
  }
  const [, whole = '', , part = ''] = plain.exec(typed) ?? []
  return whole === '' && part === '' ? null : Number(`${whole}.${part}`)
}

/** The marks of the reader's language. */
export const ownMarks = marksOf(locale)

/** The number of a field, as its `NumberField` reads it. NaN for any other text. */
export const numberOf = (text: string, kind: AmountKind): number => readAmount(text, ownMarks, kind).value ?? Number.NaN

/** The value of a field that may be empty, or its problem. */
export interface OptionalReading<Value> {
  readonly value: Value
  readonly problem: string | null
}

/** The end of a day in the reader's time zone. */
const endOfDay = (day: string): Date => new Date(`${day}T23:59:59`)

/** The day of an instant in the reader's time zone, as the value of a date field. */
export function dayOf(instant: string): string {
  const at = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

/**
 * Reads the last day of something: the end of that day, or null for an empty field.
 *
 * @param present the stored end; it stays exact while the day is unchanged
 */
export function readEndDay(day: string, now: Date, present: string | null): OptionalReading<string | null> {
  if (day === '') return { value: null, problem: null }
  if (present !== null && dayOf(present) === day) return { value: present, problem: null }
  const at = endOfDay(day)
  if (Number.isNaN(at.getTime())) return { value: null, problem: 'Enter a date.' }
  if (at <= now) return { value: null, problem: 'Choose today or a later day.' }
  return { value: at.toISOString(), problem: null }
}

interface LimitRange extends AmountKind {
  readonly min: number
  readonly max: number
  /** What an empty field means, for the message. Default: no limit. */
  readonly emptyMeans?: string
}

/** Reads a limit; null for an empty field. */
export function readLimit(
  text: string,
  { min, max, isWhole = false, isMoney = false, emptyMeans = 'no limit' }: LimitRange
): OptionalReading<number | null> {
  const trimmed = text.trim()
  if (trimmed === '') return { value: null, problem: null }
  const value = numberOf(trimmed, { isWhole, isMoney })
  const isRight = Number.isFinite(value) && value >= min && value <= max && (!isWhole || Number.isInteger(value))
  const kind = isWhole ? 'a whole number' : 'a number'
  return isRight
    ? { value, problem: null }
    : {
        value: null,
        problem: `Enter ${kind} from ${min} to ${formatCount(max)}, or leave the field empty for ${emptyMeans}.`
      }
}

const maxThresholds = 10

/** Reads percents such as `50, 80, 100`. Empty: no thresholds. */
export function readThresholds(text: string): { readonly value: number[]; readonly problem: string | null } {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== '')
  const percents = [...new Set(parts.map(Number))].sort((one, other) => one - other)
  if (percents.some((percent) => !Number.isInteger(percent) || percent < 1 || percent > 100)) {
    return { value: [], problem: 'Enter whole numbers from 1 to 100, separated by commas, or leave the field empty.' }
  }
  return percents.length > maxThresholds
    ? { value: [], problem: `Enter at most ${maxThresholds} numbers.` }
    : { value: percents, problem: null }
}
