import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomBase62, toBase62 } from './base62.ts'

/** What a key may be used for: model calls, or managing the account's keys from a server. */
export type KeyScope = 'inference' | 'management'

const prefixes: Record<KeyScope, string> = { inference: 'tg_', management: 'tgm_' }
/** 43 characters of 62 carry 256 bits; 6 hold any CRC-32. */
const randomLength = 43
const checksumLength = 6
const shape = /^(tgm?_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** A new secret: prefix, 256 random bits in base62, and a CRC-32 of all before it in base62. */
export function generateSecret(scope: KeyScope): string {
  const body = prefixes[scope] + randomBase62(randomLength)
  return body + checksum(body)
}

const secretLengths = Object.values(prefixes).map((prefix) => prefix.length + randomLength + checksumLength)

/** Whether a text of that length can be a secret. */
export const isSecretLength = (length: number): boolean => secretLengths.includes(length)

/**
 * Whether a text can be a secret of ours, by form and checksum alone. Constant work; a mistyped or made-up key is
 * refused by this before anything is looked up.
 *
 * @returns the scope that the prefix names, or null
 */
export function scopeOfSecret(text: string): KeyScope | null {
  const parts = shape.exec(text)
  if (parts === null) return null
  const [, prefix, random, sum] = parts as unknown as [string, string, string, string]
  if (checksum(prefix + random) !== sum) return null
  return prefix === prefixes.management ? 'management' : 'inference'
}

/** SHA-256 of the secret in lower-case hex: the only form in which a secret is stored. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** The first eight characters after `tg_` or `tgm_`: what listings show so that people recognise a key. */
export function displayPrefix(secret: string): string {
  const start = secret.indexOf('_') + 1
  return secret.slice(start, start + 8)
}

const checksum = (body: string): string => toBase62(crc32(body), checksumLength)
