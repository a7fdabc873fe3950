/**
 * Arguments of scripts, packed as Lua's `struct.unpack` reads them: `<d` is a double, lowest byte first, `s` a text that a
 * zero byte ends. In texts of bytes here, each character (at most U+00FF) is a byte.
 */

const mostNumbers = 16
const scratch = Buffer.alloc(8 * mostNumbers)
const view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length)

/** @param numbers at most 16 */
export function packNumbers(...numbers: number[]): string {
  for (let n = 0; n < numbers.length; n++) view.setFloat64(8 * n, numbers[n]!, true)
  return scratch.toString('latin1', 0, 8 * numbers.length)
}

/** @throws Error for a text with a zero byte in it, which would end there */
export function packText(text: string): string {
  if (text.includes('\0')) throw new Error('a text with a zero byte cannot be packed')
  return `${utf8(text)}\0`
}

/** The bytes of a text in UTF-8. */
export function utf8(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}
