import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Creates an id like OpenAI's: a prefix such as `chatcmpl-`, then 24 letters and digits. */
export function randomId(prefix: string): string {
  let id = prefix
  for (const byte of randomBytes(24)) id += alphabet[byte % alphabet.length]
  return id
}
