import { findName, searchedName } from '../body/find-name.ts'
import { memberOf } from '../body/member-of.ts'
import { valueAfter } from '../body/scan.ts'
import { firstBoundary, lastBoundary } from './event-boundaries.ts'
import { dataIn } from './event-data.ts'

const errorName = searchedName('error')
const letterN = 0x6e
/** An event named `error` (OpenAI) is a failure, whatever its data. */
export const errorLine = /(?:^|[\r\n])event: ?error(?=[\r\n]|$)/

/** Finds the first event that reports an error. @returns the index of its first byte; -1 if there is none */
export function failureIn(events: Buffer, text: string): number {
  const line = errorLine.exec(text)
  // Searches up to the first letter of the line, because the CR before it may belong to CR LF.
  const namedAt = line === null ? -1 : lastBoundary(events.subarray(0, line.index + line[0].indexOf('e') + 1))
  const dataAt = errorDataIn(events, text)
  return dataAt < 0 || (namedAt >= 0 && namedAt < dataAt) ? namedAt : dataAt
}

/** Finds the first event whose data report an error. @returns the index of its first byte; -1 if there is none */
function errorDataIn(events: Buffer, text: string): number {
  for (let at = findName(text, errorName, 0); at >= 0; ) {
    let next = at + errorName.length
    if (!isNull(events, next)) {
      const start = lastBoundary(events.subarray(0, at))
      const end = firstBoundary(events, at) || events.length
      if (isFailure(events.subarray(start, end))) return start
      next = end
    }
    at = findName(text, errorName, next)
  }
  return -1
}

/** Whether an event reports an error. Gemini sends a list. */
function isFailure(event: Buffer): boolean {
  const data = dataIn(event)
  return Array.isArray(data) ? data.some(reportsError) : reportsError(data)
}

/** Whether data report an error: in `error`, in Groq's own member, in a choice (OpenRouter), or by `object` (vLLM). */
function reportsError(data: unknown): boolean {
  if (memberOf(data, 'error') || memberOf(data, 'object') === 'error') return true
  if (memberOf(memberOf(data, 'x_groq'), 'error')) return true
  const choices = memberOf(data, 'choices')
  return (
    Array.isArray(choices) &&
    choices.some((choice) => memberOf(choice, 'error') || memberOf(choice, 'finish_reason') === 'error')
  )
}

/** Whether the member with the name before `nameEnd` is null. Some providers send `usage: null` in all chunks but the last. */
export function isNull(bytes: Buffer, nameEnd: number): boolean {
  return bytes[valueAfter(bytes, nameEnd)] === letterN
}
