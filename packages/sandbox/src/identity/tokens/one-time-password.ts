import { createHash, randomInt } from 'node:crypto'

export interface OneTimePassword {
  /** Six digits, for people to type. */
  code: string
  /** The token in links, which the server stores: the hexadecimal SHA-224 of address and code. */
  tokenHash: string
}

export function newOneTimePassword(email: string): OneTimePassword {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  return { code, tokenHash: hashOneTimePassword(email, code) }
}

export function hashOneTimePassword(email: string, code: string): string {
  return createHash('sha224').update(`${email}${code}`).digest('hex')
}
