/** Base64 as RFC 4648 writes it. Decoders differ in what they make of anything else, so that they would see other bytes. */
const strictBase64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Decodes the beginning of a text of base64.
 *
 * @param from index of its first character
 * @param maxBytes a multiple of 3
 * @returns null if the characters are not such that every decoder gets the same bytes
 */
export function decodePrefix(text: string, from: number, maxBytes: number): Buffer | null {
  const end = from + (maxBytes / 3) * 4
  const part = text.slice(from, end)
  if (!strictBase64.test(part) || (part.endsWith('=') && end < text.length)) return null
  return Buffer.from(part, 'base64')
}
