import type { Input } from '../commands/action.ts'
import { UsageError } from '../commands/command-error.ts'

export const reasonOption = { reason: { value: 'TEXT', text: 'why (required); the audit logs keep it' } } as const

/** A day or time in the future; null if the option is missing. @throws UsageError */
export function instantOption(input: Input, option: string): string | null {
  const text = input.text(option)
  if (text === null) return null
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isTime ? new Date(text) : null
  if (time === null || Number.isNaN(time.getTime())) {
    throw new UsageError(`--${option}: write a day or a time in UTC, such as 2026-12-31 or 2026-12-31T18:00Z.`)
  }
  return time.toISOString()
}

/** A number with a point, such as `12.50`; null if the option is missing. @throws UsageError */
export function numberOption(input: Input, option: string): number | null {
  const text = input.text(option)
  if (text === null) return null
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) {
    throw new UsageError(`--${option}: write a number such as 20 or 0.50, with a point.`)
  }
  return Number(text)
}

/** A whole number; null if the option is missing. @throws UsageError */
export function integerOption(input: Input, option: string): number | null {
  const number = numberOption(input, option)
  if (number !== null && !Number.isInteger(number)) throw new UsageError(`--${option}: write a whole number.`)
  return number
}

/** A month such as `2026-11`; null if the option is missing. @throws UsageError */
export function monthOption(input: Input, option: string): string | null {
  const text = input.text(option)
  if (text !== null && !/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) {
    throw new UsageError(`--${option}: write a month such as 2026-11.`)
  }
  return text
}
