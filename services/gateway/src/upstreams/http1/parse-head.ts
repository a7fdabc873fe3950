import type { AnswerHead } from '../upstream-pool.ts'

/** The head of an answer: the fields for the relay, and the framing of the body. */
export interface ParsedHead extends AnswerHead {
  readonly status: number
  readonly isChunked: boolean
  /** Whether the head allows the connection to stay open after the answer. */
  readonly keepsAlive: boolean
  /** The `Keep-Alive` field. */
  readonly keepAlive: string | undefined
}

/**
 * A field name and its value (RFC 9110, 5.1 and 5.5), without a space before the colon and without folded lines (RFC
 * 9112, 5).
 */
const field = "[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*"
const wellFormedHead = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: [^\\r\\n]*)?\\r\\n(?:${field}\\r\\n)*$`)
const wellFormedField = new RegExp(`^${field}$`)
/** At most 15 digits, so that the number is a safe integer. */
const bodyLength = /^\d{1,15}$/

/**
 * Parses the head of an answer. A head is malformed if the end of the body is ambiguous.
 *
 * @param text status line and fields, each with CR LF; one character per byte
 * @returns the head; for a malformed head, a text with the fault
 */
export function parseHead(text: string): ParsedHead | string {
  if (!wellFormedHead.test(text)) return 'its head is not HTTP/1.1'
  let contentType: string | undefined
  let contentEncoding: string | undefined
  let retryAfter: string | undefined
  let retryAfterMs: string | undefined
  let connection: string | undefined
  let keepAlive: string | undefined
  let transferEncoding: string | undefined
  let length: string | undefined
  for (let at = text.indexOf('\n') + 1; at < text.length; ) {
    const lineEnd = text.indexOf('\r', at)
    const colon = text.indexOf(':', at)
    // The length of the name rules out most fields.
    switch (colon - at) {
      case 10:
        if (isNamed(text, at, 'connection')) connection = joined(connection, fieldValue(text, colon, lineEnd))
        else if (isNamed(text, at, 'keep-alive')) keepAlive = joined(keepAlive, fieldValue(text, colon, lineEnd))
        break
      case 11:
        if (isNamed(text, at, 'retry-after')) retryAfter = joined(retryAfter, fieldValue(text, colon, lineEnd))
        break
      case 12:
        if (isNamed(text, at, 'content-type')) contentType = joined(contentType, fieldValue(text, colon, lineEnd))
        break
      case 14:
        if (isNamed(text, at, 'content-length')) length = joined(length, fieldValue(text, colon, lineEnd))
        else if (isNamed(text, at, 'retry-after-ms')) {
          retryAfterMs = joined(retryAfterMs, fieldValue(text, colon, lineEnd))
        }
        break
      case 16:
        if (isNamed(text, at, 'content-encoding')) {
          contentEncoding = joined(contentEncoding, fieldValue(text, colon, lineEnd))
        }
        break
      case 17:
        if (isNamed(text, at, 'transfer-encoding')) {
          transferEncoding = joined(transferEncoding, fieldValue(text, colon, lineEnd))
        }
    }
    at = lineEnd + 2
  }
  // A repeated content-length is malformed even if both agree. RFC 9112, 6.3, allows refusing it.
  if (length !== undefined && !bodyLength.test(length)) return 'its content-length is not a number'
  if (transferEncoding !== undefined) {
    if (length !== undefined) return 'it has both content-length and transfer-encoding'
    if (transferEncoding.toLowerCase() !== 'chunked') return 'its transfer-encoding is not chunked'
  }
  const status = Number(text.slice(9, 12))
  const hasNoBody = status === 204 || status === 304
  const isLater = text.charCodeAt(7) === digitOne
  return {
    status,
    contentType,
    contentEncoding,
    retryAfter,
    retryAfterMs,
    contentLength: length === undefined || hasNoBody ? -1 : Number(length),
    isChunked: transferEncoding !== undefined,
    keepsAlive:
      staysOpen(connection, isLater) &&
      // HTTP/1.0 has no chunks, and some answers must not have a body. The bytes after such an answer are ambiguous.
      (transferEncoding === undefined || (isLater && !hasNoBody)) &&
      !(hasNoBody && length !== undefined && Number(length) > 0),
    keepAlive
  }
}

/** Whether a line, without its end, is an allowed trailer. Trailers are ignored, but must not change the framing. */
export function isTrailer(line: string): boolean {
  return wellFormedField.test(line) && !/^(?:content-length|transfer-encoding):/i.test(line)
}

const digitOne = 0x31
const tab = 0x09
const space = 0x20

function isNamed(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at) || text.slice(at, at + name.length).toLowerCase() === name
}

/** The text between a field's colon and the end of its line, without surrounding spaces. */
function fieldValue(text: string, colon: number, lineEnd: number): string {
  let start = colon + 1
  let end = lineEnd
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(character: number): boolean {
  return character === space || character === tab
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}

function staysOpen(connection: string | undefined, isLater: boolean): boolean {
  if (connection === undefined) return isLater
  const options = connection.toLowerCase().split(/[\t ]*,[\t ]*/)
  return !options.includes('close') && (isLater || options.includes('keep-alive'))
}
