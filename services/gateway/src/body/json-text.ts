import { backslash, quote } from './json-bytes.ts'

/** This many bytes of a text are checked one by one, because most texts are short. */
const bytewise = 16

/**
 * Skips the plain bytes of a text. In a long text it checks four bytes at a time, which takes a quarter of the time.
 *
 * @returns the index of the first quote, backslash or control character, or `until`
 */
export function skipPlain(bytes: Buffer, from: number, until: number): number {
  let at = from
  for (;;) {
    // Up to the next multiple of four in the underlying memory.
    const offset = bytes.byteOffset
    const near = Math.min(until, ((at + offset + bytewise) & ~3) - offset)
    for (; at < near; at++) {
      const byte = bytes[at]!
      if (byte === quote || byte === backslash || byte < 0x20) return at
    }
    if (at >= until) return at
    const words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2)
    const last = (until + offset) >> 2
    let index = (at + offset) >> 2
    while (index < last && !hasSpecial(words[index]!)) index++
    at = (index << 2) - offset
  }
}

/**
 * Whether one of the four bytes of a word is a quote, a backslash or a control character (Warren, "Hacker's Delight",
 * 6-1).
 */
function hasSpecial(word: number): boolean {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  const zeros =
    ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)
  return (zeros & 0x80808080) !== 0
}

const single = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)))
const isHex = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))

/** @returns length of the escape that begins with the backslash at `at`; 0 if it is not valid */
export function escapeLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at + 1]
  if (byte === undefined) return 0
  if (single.has(byte)) return 2
  if (byte !== 0x75) return 0
  for (let index = 2; index < 6; index++) if (!isHex(bytes[at + index])) return 0
  return 6
}

/** Decodes the text from `start` to `end`, without its quotes. */
export function decodeText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

/** Longer numbers are refused. The largest integers in use have a few hundred digits. */
export const maxNumberLength = 1000

/** @returns the index after the number at `from`; -1 if there is no number (RFC 8259, 6), -2 if it is too long */
export function skipNumber(bytes: Uint8Array, from: number): number {
  const isDigit = (at: number): boolean => bytes[at]! >= 0x30 && bytes[at]! <= 0x39
  const end = from + maxNumberLength
  let at = bytes[from] === 0x2d ? from + 1 : from
  if (!isDigit(at)) return -1
  if (bytes[at] === 0x30) at++
  else while (at < end && isDigit(at)) at++
  if (bytes[at] === 0x2e) {
    if (!isDigit(++at)) return -1
    while (at < end && isDigit(at)) at++
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    if (!isDigit(at)) return -1
    while (at < end && isDigit(at)) at++
  }
  return at >= end ? -2 : at
}

/** @returns a member of a JSON value; undefined if the value is not an object, or lacks the member */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
