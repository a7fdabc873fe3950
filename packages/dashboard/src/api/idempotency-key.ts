const byteCount = 16

/**
 * A random idempotency key. The API creates nothing twice under the same key.
 *
 * `crypto.randomUUID` is missing on pages served without TLS.
 */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(byteCount))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
