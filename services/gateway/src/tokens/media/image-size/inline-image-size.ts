import { decodePrefix } from '../base64-prefix.ts'
import { gifSize } from './gif-size.ts'
import { jpegSize } from './jpeg-size.ts'
import { pngSize } from './png-size.ts'
import type { Size, SizeAnswer } from './size.ts'
import { webpSize } from './webp-size.ts'

/** Bytes decoded to find the size, per try. Most headers are short; a few have large colour profiles. */
const prefixBytes = [3 * 1024, 96 * 1024, 768 * 1024]

const head = /^data:image\/[a-z0-9.+-]{1,40};base64,/i

/**
 * Reads the size of an inline image from its bytes, whatever type its URL declares.
 *
 * @param url of any length; at most 768 KiB of the image are decoded
 * @returns null if it is not a PNG, JPEG, GIF or WebP, or decoders may see another size
 */
export function inlineImageSize(url: string): Size | null {
  const start = head.exec(url.slice(0, 80))?.[0].length
  // A provider that splits at the last comma would read another image.
  if (start === undefined || url.indexOf(',', start) >= 0) return null
  for (const maxBytes of prefixBytes) {
    const bytes = decodePrefix(url, start, maxBytes)
    if (bytes === null) return null
    const answer = readSize(bytes)
    if (answer !== 'cut') return answer === 'unknown' ? null : answer
    if (bytes.length < maxBytes) return null
  }
  return null
}

function readSize(bytes: Buffer): SizeAnswer {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG')) return pngSize(bytes)
  if (start.startsWith('\xff\xd8\xff')) return jpegSize(bytes)
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return gifSize(bytes)
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return webpSize(bytes)
  return 'unknown'
}
