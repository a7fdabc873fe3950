/** `crypto.randomUUID` is missing on pages served without TLS. */
const randomBytes = (): number[] => [...crypto.getRandomValues(new Uint8Array(16))]
const hexOf = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** A random idempotency key. The API creates nothing twice under the same key. */
export const newIdempotencyKey = (): string => hexOf(randomBytes())

/** A random UUID (version 4). */
export function newUuid(): string {
  const bytes = randomBytes()
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
