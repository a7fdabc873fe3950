/** What the request lines of both services share. */

const maxAddressLength = 64
// JSON does not escape these, but U+0085 ends a line for some readers, and U+009B begins commands of a terminal.
const unescapedControls = /[\u007f-\u009f]/g

/** A client's address in a line, cut and without such control characters. A trusted proxy may send any text. */
export const addressForLog = (address: string): string =>
  address.slice(0, maxAddressLength).replace(unescapedControls, '\ufffd')

/** Rounds to a tenth of a millisecond. */
export const roundMs = (ms: number): number => Math.round(ms * 10) / 10

/** `String(roundMs(ms))`, for times of 0 or more. V8 takes three times as long to write a fraction. */
export function roundedMsText(ms: number): string {
  const tenths = Math.round(ms * 10)
  const digit = tenths % 10
  return digit === 0 ? `${tenths / 10}` : `${(tenths - digit) / 10}.${digit}`
}
