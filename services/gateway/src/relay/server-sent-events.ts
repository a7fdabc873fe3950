import { findName, searchedName } from '../body/find-name.ts'
import { memberOf } from '../body/json-text.ts'
import { valueAfter } from '../body/scan.ts'
import type { OperatorFault } from './operator-faults.ts'
import { readRefusal } from './read-refusal.ts'
import { faultOf } from './upstream-failure.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const nothing = Buffer.alloc(0)

/**
 * Finds where the events of a stream end: after a blank line. Lines end with CR LF, LF or CR (WHATWG HTML, 9.2.6
 * "Interpreting an event stream").
 *
 * @param before the preceding bytes, at least the last three
 * @returns the index after the last blank line; 0 if the bytes have none
 */
export function lastBoundary(bytes: Buffer, before: Buffer = nothing): number {
  for (let at = bytes.length; at > 0; at--) if (isBoundary(bytes, before, at)) return at
  return 0
}

/** @returns the index after the first blank line that ends after `from`; 0 if there is none */
export function firstBoundary(bytes: Buffer, from: number, before: Buffer = nothing): number {
  for (let at = from + 1; at <= bytes.length; at++) if (isBoundary(bytes, before, at)) return at
  return 0
}

/** Whether a blank line ends before `at`. A CR at the end does not count: it may be the first half of CR LF. */
function isBoundary(bytes: Buffer, before: Buffer, at: number): boolean {
  const last = bytes[at - 1]
  if (last !== lineFeed && last !== carriageReturn) return false
  if (last === carriageReturn && (at === bytes.length || bytes[at] === lineFeed)) return false
  const lineEnd = last === lineFeed && byteAt(bytes, before, at - 2) === carriageReturn ? at - 2 : at - 1
  const previous = byteAt(bytes, before, lineEnd - 1)
  return previous === lineFeed || previous === carriageReturn
}

function byteAt(bytes: Buffer, before: Buffer, at: number): number | undefined {
  return at >= 0 ? bytes[at] : before[before.length + at]
}

/** Whether bytes end with LF LF, the usual blank line. */
export function endsPlainly(bytes: Buffer): boolean {
  return bytes[bytes.length - 1] === lineFeed && bytes[bytes.length - 2] === lineFeed
}

/** Parses the data of an event. @returns undefined if they are not JSON */
export function dataIn(event: Buffer): unknown {
  try {
    return JSON.parse(dataOf(event))
  } catch {
    return undefined
  }
}

/** Joins the `data` lines of an event, without the space after the colon. */
export function dataOf(event: Buffer): string {
  const lines = event.toString().split(/\r\n|\n|\r/)
  const data = lines.filter((line) => line.startsWith('data:'))
  return data.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n')
}

/**
 * The bytes of {@link dataOf}. In nearly all events they are the last line, so they are not copied.
 *
 * @param text the event, one character per byte
 */
export function dataBytes(event: Buffer, text: string): Buffer {
  const before = text.startsWith(field) ? -1 : text.indexOf(`\n${field}`)
  const from = before + 1 + field.length
  const end = text.length - 2
  const isLastLine = text.endsWith('\n\n') && text.indexOf('\n', from) === end && !text.includes('\r')
  if (!isLastLine || !text.startsWith(field, before + 1)) return Buffer.from(dataOf(event))
  return event.subarray(text[from] === ' ' ? from + 1 : from, end)
}

const field = 'data:'

const errorName = searchedName('error')
const letterN = 0x6e
/** An event named `error` (OpenAI) is a failure, whatever its data. */
export const errorLine = /(?:^|[\r\n])event: ?error(?=[\r\n]|$)/

/** Finds the first event that reports an error. @returns the index of its first byte, or -1 */
export function failureIn(events: Buffer, text: string): number {
  const line = errorLine.exec(text)
  // Searches up to the first letter of the line, because the CR before it may belong to CR LF.
  const namedAt = line === null ? -1 : lastBoundary(events.subarray(0, line.index + line[0].indexOf('e') + 1))
  const dataAt = errorDataIn(events, text)
  return dataAt < 0 || (namedAt >= 0 && namedAt < dataAt) ? namedAt : dataAt
}

/** Finds the first event whose data report an error. @returns the index of its first byte, or -1 */
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

/**
 * Whether the member with the name before `nameEnd` is null. Some providers send `usage: null` in all chunks but the
 * last.
 */
export function isNull(bytes: Buffer, nameEnd: number): boolean {
  return bytes[valueAfter(bytes, nameEnd)] === letterN
}

/**
 * Finds what only the operator can repair in an event of a stream that reports an error.
 *
 * @returns null for other errors
 */
export function faultInEvent(event: Buffer): OperatorFault | null {
  const parsed = dataIn(event)
  const data: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const choices = memberOf(data, 'choices')
  return faultOfError(
    memberOf(data, 'error') ??
      memberOf(memberOf(data, 'response'), 'error') ??
      memberOf(memberOf(data, 'x_groq'), 'error') ??
      (Array.isArray(choices) ? memberOf(choices[0], 'error') : null) ??
      data
  )
}

/** The same for an error alone: an object or a text. */
export function faultOfError(error: unknown): OperatorFault | null {
  if (error == null) return null
  const reason = readRefusal(Buffer.from(JSON.stringify({ error })))
  const code = memberOf(error, 'code')
  if (typeof code === 'number' && code >= 400 && code < 600) return faultOf(code, reason)
  if (reason.type === 'authentication_error') return faultOf(401, reason)
  if (reason.type === 'permission_error') return faultOf(403, reason)
  // Without a status, as if it was one about the request.
  return faultOf(400, reason) ?? faultOf(404, reason)
}
