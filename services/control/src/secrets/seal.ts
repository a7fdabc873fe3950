import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

/**
 * Keys of 32 bytes that encrypt stored secrets. The first one encrypts; all of them decrypt, so that it can be
 * replaced.
 */
export type SealKeys = readonly Buffer[]

const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'
const form = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/

/** @returns the key of its base64 or hexadecimal text; null if it is not 32 bytes */
export function readSealKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null
  const key = Buffer.from(text, 'base64')
  return key.length === keyBytes ? key : null
}

/**
 * Encrypts a secret with AES-256-GCM.
 *
 * @param place where it is stored, such as the id of its row: it can be decrypted for that place only
 * @returns `v1.<which key>.<iv, tag and text>`
 * @throws Error if there is no key
 */
export function seal(keys: SealKeys, place: string, secret: string): string {
  const [key] = keys
  if (key === undefined) throw new Error('there is no key to encrypt secrets')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(place))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return `v1.${nameOf(key)}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`
}

/** @returns the secret; null if none of the keys encrypted it for this place */
export function unseal(keys: SealKeys, place: string, sealed: string): string | null {
  const [, name, encoded] = form.exec(sealed) ?? []
  const key = keys.find((one) => nameOf(one) === name)
  if (key === undefined || encoded === undefined) return null
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return null
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    // Node.js only says that the tag is wrong.
    return null
  }
}

/** How a sealed text begins that the present key encrypted. @throws Error if there is no key */
export function presentPrefix(keys: SealKeys): string {
  const [key] = keys
  if (key === undefined) throw new Error('there is no key to encrypt secrets')
  return `v1.${nameOf(key)}.`
}

/** Names a key without telling it. */
const nameOf = (key: Buffer): string => hash('sha256', Buffer.concat([Buffer.from('seal'), key]), 'hex').slice(0, 8)
