/** Base64 by RFC 4648. Decoders read other characters in different ways. */
const strictBase64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Decodes the beginning of a text of base64.
 *
 * @param from index of its first character
 * @param maxBytes a multiple of 3
 * @returns null if decoders could get different bytes
 */
export function decodePrefix(text: string, from: number, maxBytes: number): Buffer | null {
  const end = from + (maxBytes / 3) * 4
  const part = text.slice(from, end)
  if (!strictBase64.test(part) || (part.endsWith('=') && end < text.length)) return null
  return Buffer.from(part, 'base64')
}
