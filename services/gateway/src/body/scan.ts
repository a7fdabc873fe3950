import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space
} from './json-bytes.ts'

/**
 * These functions skip parts of JSON in bytes (RFC 8259). The bytes may end anywhere. No function reads past the end.
 */

/** @returns the index of the next byte, from `from` on, that is not white space; the length if there is none */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at]! <= space) at++
  return at
}

/** @returns the index after the closing quote of the string that begins at `from`; the length + 1 if it has none */
export function skipString(bytes: Buffer, from: number): number {
  for (let at = from + 1; ; at++) {
    // In short strings, and in strings with many escapes, indexOf costs more than it saves. In long prompts it saves
    // time.
    for (const near = at + 64; at < near; at++) {
      const byte = bytes[at]
      if (byte === quote) return at + 1
      if (byte === backslash) at++
    }
    at = bytes.indexOf(quote, at)
    if (at < 0) return bytes.length + 1
    let before = at
    while (bytes[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at + 1
  }
}

/** @returns the index after the value that begins at `from`; more than the length if it goes on beyond the end */
export function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === quote) return skipString(bytes, from)
  if (first !== openBrace && first !== openBracket) {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= space) return at
    }
    return bytes.length + 1
  }
  let depth = 0
  for (let at = from; at < bytes.length; ) {
    const byte = bytes[at]
    if (byte === quote) {
      at = skipString(bytes, at)
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      depth--
      if (depth === 0) return at + 1
    }
    at++
  }
  return bytes.length + 1
}

/**
 * Finds where a member's value begins.
 *
 * @param nameEnd index after the name's closing quote
 * @returns the length or more if the bytes end before the value; -1 if no colon follows, so the text was not a name
 */
export function valueAfter(bytes: Buffer, nameEnd: number): number {
  const at = skipSpace(bytes, nameEnd)
  if (at >= bytes.length) return at
  return bytes[at] === colon ? skipSpace(bytes, at + 1) : -1
}

/**
 * Finds the end of a text that may go on beyond the bytes.
 *
 * @param from within the text, not after an odd number of backslashes
 * @returns the index of the closing quote; if it is missing, -1, or -2 if the last byte escapes the next one
 */
export function closingQuote(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const end = bytes.indexOf(quote, at)
    const textEnd = end < 0 ? bytes.length : end
    let before = textEnd
    while (before > at && bytes[before - 1] === backslash) before--
    const isEscaped = (textEnd - before) % 2 === 1
    if (end < 0) return isEscaped ? -2 : -1
    if (!isEscaped) return end
    at = end + 1
  }
}

/** Whether a byte is white space of JSON (RFC 8259, section 2). */
export const isSpace = (byte: number): boolean => byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09
