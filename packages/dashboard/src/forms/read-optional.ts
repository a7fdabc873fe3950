import { formatCount } from '../format/number.ts'
import { type AmountKind, numberOf } from './read-number.ts'

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
