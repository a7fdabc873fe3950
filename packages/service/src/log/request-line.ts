/** What the request lines of both services share. */

/** Characters of a client's address in a line. A trusted proxy may send any text. */
export const maxAddressLength = 64

/** Rounds to a tenth of a millisecond. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10

/** `String(roundMs(ms))`, for times of 0 or more. V8 takes three times as long to write a fraction. */
export function roundedMsText(ms: number): string {
  const tenths = Math.round(ms * 10)
  const digit = tenths % 10
  return digit === 0 ? `${tenths / 10}` : `${(tenths - digit) / 10}.${digit}`
}
