import { randomInt } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random text of digits and letters. Each character has log2(62) ≈ 5.95 random bits. */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

/**
 * A whole number in base 62, padded with zeros in front.
 *
 * @param length must be enough for the number: higher places are cut off
 */
export function toBase62(number: number, length: number): string {
  let rest = number
  let text = ''
  for (let place = 0; place < length; place++) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
