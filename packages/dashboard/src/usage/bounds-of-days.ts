import { startOfDay } from './usage-range.ts'

const hourForm = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:00Z$/
const hourMs = 3_600_000

export const isHour = (text: string | undefined): boolean => text !== undefined && hourForm.test(text)

/**
 * Reads the first and the last day (UTC), such as `2026-11-23`, or hour, such as `2026-11-23T05:00Z`. Both are
 * included.
 *
 * @returns the bounds as the API takes them: its end is exclusive. Texts of another form are left out.
 */
export function boundsOf(first: string | undefined, last: string | undefined): { from?: string; to?: string } {
  const [from, to] = [boundOf(first, false), boundOf(last, true)]
  return { ...(from && { from }), ...(to && { to }) }
}

function boundOf(text: string | undefined, isEnd: boolean): string | undefined {
  const start = isHour(text) ? new Date(text ?? '') : startOfDay(text)
  if (start === null || Number.isNaN(start.getTime())) return undefined
  const length = isHour(text) ? hourMs : 24 * hourMs
  return new Date(start.getTime() + (isEnd ? length : 0)).toISOString()
}
