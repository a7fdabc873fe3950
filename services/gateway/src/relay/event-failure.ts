import { findName, searchedName } from '../body/find-name.ts'
import { memberOf } from '../body/member-of.ts'
import { valueAfter } from '../body/scan.ts'
import { firstBoundary, lastBoundary } from './event-boundaries.ts'
import { dataIn } from './event-data.ts'

const errorName = searchedName('error')
const letterN = 0x6e
/** An event named `error` (OpenAI) is a failure, whatever its data. */
const errorLine = /(?:^|[\r\n])event: ?error(?=[\r\n]|$)/

/** @returns where the first event begins that tells of an error; -1 if there is none */
export function failureIn(events: Buffer, text: string): number {
  const line = errorLine.exec(text)
  // Up to the first letter of the line: the CR before it may be the first half of CR LF.
  const namedAt = line === null ? -1 : lastBoundary(events.subarray(0, line.index + line[0].indexOf('e') + 1))
  const toldAt = errorDataIn(events, text)
  return toldAt < 0 || (namedAt >= 0 && namedAt < toldAt) ? namedAt : toldAt
}

/** @returns where the first event begins whose data tell of an error; -1 if there is none */
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

/** Whether an event tells of an error. Gemini sends a list. */
function isFailure(event: Buffer): boolean {
  const data = dataIn(event)
  return Array.isArray(data) ? data.some(tellsError) : tellsError(data)
}

/** Whether data tell of an error: in `error`, in Groq's own member, in a choice (OpenRouter), or by `object` (vLLM). */
function tellsError(data: unknown): boolean {
  if (memberOf(data, 'error') || memberOf(data, 'object') === 'error') return true
  if (memberOf(memberOf(data, 'x_groq'), 'error')) return true
  const choices = memberOf(data, 'choices')
  return (
    Array.isArray(choices) &&
    choices.some((choice) => memberOf(choice, 'error') || memberOf(choice, 'finish_reason') === 'error')
  )
}

/** Whether the member whose name ends at `nameEnd` is null. Some providers write `usage: null` into all chunks but the last. */
export function isNull(bytes: Buffer, nameEnd: number): boolean {
  return bytes[valueAfter(bytes, nameEnd)] === letterN
}
