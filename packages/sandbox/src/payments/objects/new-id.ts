import { randomBytes } from 'node:crypto'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Creates an id like Stripe's: `prefix`, `_`, and random letters and digits. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomText(length)}`
}

/** Random letters and digits. Each carries almost six bits of entropy (log2 62). */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes from 248 on would make the first letters likelier: 248 is the largest multiple of 62.
      if (byte < 248 && text.length < length) text += letters[byte % letters.length]
    }
  }
  return text
}
