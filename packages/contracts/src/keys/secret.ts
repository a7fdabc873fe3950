import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomBase62, toBase62 } from './base62.ts'

/** The use of a key: to call models, or to manage the account's keys from a server. */
export type KeyScope = 'inference' | 'management'

const prefixes: Record<KeyScope, string> = { inference: 'tg_', management: 'tgm_' }
/** 43 characters in base 62 have 256 bits; 6 characters hold any CRC-32. */
const randomLength = 43
const checksumLength = 6
const shape = /^(tgm?_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** Creates a secret: prefix, 256 random bits in base62, and the CRC-32 of both in base62. */
export function generateSecret(scope: KeyScope): string {
  const body = prefixes[scope] + randomBase62(randomLength)
  return body + checksum(body)
}

const secretLengths = Object.values(prefixes).map((prefix) => prefix.length + randomLength + checksumLength)

/** Whether a text of this length can be a secret. */
export const isSecretLength = (length: number): boolean => secretLengths.includes(length)

/**
 * Checks the form and the checksum of a secret. It refuses mistyped and invented keys with constant work, before any
 * lookup.
 *
 * @returns the scope of the prefix; null for any other text
 */
export function scopeOfSecret(text: string): KeyScope | null {
  const parts = shape.exec(text)
  if (parts === null) return null
  const [, prefix, random, sum] = parts as unknown as [string, string, string, string]
  if (checksum(prefix + random) !== sum) return null
  return prefix === prefixes.management ? 'management' : 'inference'
}

/** SHA-256 of a secret in lower-case hex. Secrets are stored only in this form. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** The first eight characters after `tg_` or `tgm_`. People recognise a key by them. */
export function displayPrefix(secret: string): string {
  const start = secret.indexOf('_') + 1
  return secret.slice(start, start + 8)
}

const checksum = (body: string): string => toBase62(crc32(body), checksumLength)
