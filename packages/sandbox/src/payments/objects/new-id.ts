import { randomBytes } from 'node:crypto'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** An identifier as Stripe's: `prefix`, `_`, and random letters and digits. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomText(length)}`
}

/** Random letters and digits, six bits of chance less a little each. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // The rest of the range would make the first letters likelier.
      if (byte < 248 && text.length < length) text += letters[byte % letters.length]
    }
  }
  return text
}
