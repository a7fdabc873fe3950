const byteCount = 16

/**
 * A name for something that is to be made once. Whatever is sent again under it makes no second one.
 *
 * `randomUUID` is not there where the page is served without TLS.
 */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(byteCount))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
