/**
 * Finds where the events of a stream end: after a blank line. Lines end with CR LF, LF or CR (WHATWG HTML, 9.2.6 "Interpreting
 * an event stream").
 */

const lineFeed = 0x0a
const carriageReturn = 0x0d
const nothing = Buffer.alloc(0)

/**
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
