import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const secretBytes = 20
const stepMs = 30_000
const digits = 6
/** GoTrue also accepts the code of the step before and of the step after. */
const skewSteps = 1

/** A new secret: 160 random bits in base32, without padding. */
export const newTotpSecret = (): string => toBase32(randomBytes(secretBytes))

/**
 * The code that an authenticator app shows: RFC 6238 with SHA-1, 30 seconds and 6 digits.
 *
 * @param secret in base32
 * @param atMs Unix milliseconds
 */
export function totpCode(secret: string, atMs: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / stepMs)))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = digest[digest.length - 1]! & 0xf
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/** Whether a code is valid at this time. The codes one step before and after are valid, too. */
export function isTotpCode(secret: string, code: string, nowMs: number): boolean {
  if (!/^\d{6}$/.test(code)) return false
  let isRight = false
  for (let step = -skewSteps; step <= skewSteps; step++) {
    const expected = totpCode(secret, nowMs + step * stepMs)
    if (timingSafeEqual(Buffer.from(expected), Buffer.from(code))) isRight = true
  }
  return isRight
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((group) => base32Letters[Number.parseInt(group, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => base32Letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((group) => Number.parseInt(group, 2)))
}

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
