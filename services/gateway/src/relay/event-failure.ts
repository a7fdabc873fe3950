import { findName, searchedName } from '../body/find-name.ts'
import { memberOf } from '../body/member-of.ts'
import { valueAfter } from '../body/scan.ts'
import { firstBoundary, lastBoundary } from './event-boundaries.ts'
import { dataIn } from './event-data.ts'

const errorName = searchedName('error')
const letterN = 0x6e
/** An event that is named so (OpenAI), whatever its data are. */
const errorLine = /(?:^|[\r\n])event: ?error(?=[\r\n]|$)/

/** @returns where the first event begins that tells of an error; -1 if none does */
export function failureIn(events: Buffer, text: string): number {
  const line = errorLine.exec(text)
  // Up to the first letter of the line: a CR at the end may be the first half of CR LF.
  const namedAt = line === null ? -1 : lastBoundary(events.subarray(0, line.index + line[0].indexOf('e') + 1))
  const toldAt = errorDataIn(events, text)
  return toldAt < 0 || (namedAt >= 0 && namedAt < toldAt) ? namedAt : toldAt
}

/** @returns where the first event begins whose data tell of an error; -1 if none does */
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

/** Whether an event tells of an error, also as a list (Gemini). */
function isFailure(event: Buffer): boolean {
  const data = dataIn(event)
  return Array.isArray(data) ? data.some(tellsError) : tellsError(data)
}

/** Whether data tell of an error: in a member of their own, of Groq, or of a choice (OpenRouter), or by their `object` (vLLM). */
function tellsError(data: unknown): boolean {
  if (memberOf(data, 'error') || memberOf(data, 'object') === 'error') return true
  if (memberOf(memberOf(data, 'x_groq'), 'error')) return true
  const choices = memberOf(data, 'choices')
  return (
    Array.isArray(choices) &&
    choices.some((choice) => memberOf(choice, 'error') || memberOf(choice, 'finish_reason') === 'error')
  )
}

/** Whether the member whose name ends at `nameEnd` is null, as it is in every chunk but the last of some providers. */
export function isNull(bytes: Buffer, nameEnd: number): boolean {
  return bytes[valueAfter(bytes, nameEnd)] === letterN
}
