import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** An answer that is kept for repeated requests. */
export interface KeptAnswer {
  readonly contentType: string
  /** The id of the request that it answered first. */
  readonly requestId: string
  /** The output tokens that each choice could have; null for an endpoint without output. */
  readonly grantedTokens: number | null
  /** As the first client got it. */
  readonly body: Buffer
}

const lineFeed = 0x0a

const algorithm = 'aes-256-gcm'
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]

/**
 * Derives the key that encrypts one answer, with HKDF. Only who sends the API key again can decrypt it: Tollgate stores
 * no API key.
 *
 * @param secret the API key of the request
 * @param claim the digest that names its claim: no two answers share a key
 */
export function answerKey(secret: string, claim: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, claim, 'tollgate kept answer', keyBytes))
}

/** Encrypts one line of JSON and the body with AES-256-GCM. @returns nonce, tag and ciphertext */
export function sealAnswer(key: Buffer, { body, ...head }: KeptAnswer): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  const sealed = [cipher.update(`${JSON.stringify(head)}\n`, 'utf8'), cipher.update(body), cipher.final()]
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed])
}

/** @param sealed by {@link sealAnswer} @returns null if it was encrypted with another key */
export function openAnswer(key: Buffer, sealed: Buffer): KeptAnswer | null {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  const begun = decipher.update(sealed.subarray(nonceBytes + tagBytes))
  let packed: Buffer
  try {
    packed = Buffer.concat([begun, decipher.final()])
  } catch {
    return null
  }
  const end = packed.indexOf(lineFeed)
  const head = JSON.parse(packed.toString('utf8', 0, end)) as Omit<KeptAnswer, 'body'>
  return { ...head, body: packed.subarray(end + 1) }
}
