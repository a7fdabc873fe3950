import { decodePrefix } from './base64-prefix.ts'

/** Pixels; both at least 1. */
export interface Size {
  width: number
  height: number
}

/** `unknown` if decoders may see another size; `cut` if more bytes are needed. */
type SizeAnswer = Size | 'unknown' | 'cut'

/** A size, or `unknown` if a side is empty. */
function sizeOf(width: number, height: number): Size | 'unknown' {
  return width > 0 && height > 0 ? { width, height } : 'unknown'
}

/** Maximum segments, chunks or blocks that are read. No camera or program writes so many before the pixels. */
const maxSegments = 2000

/** Reads the size of a WebP (RFC 9649): for each side, the larger of its canvas and its first frame. */
function webpSize(bytes: Buffer): SizeAnswer {
  let [canvasWidth, canvasHeight] = [0, 0]
  const largest = (width: number, height: number): SizeAnswer =>
    sizeOf(Math.max(canvasWidth, width), Math.max(canvasHeight, height))

  for (let at = 12, count = 0; at + 8 <= bytes.length; at += 8 + even(bytes.readUInt32LE(at + 4))) {
    if (++count > maxSegments) return 'unknown'
    const kind = bytes.toString('latin1', at, at + 4)
    const data = bytes.subarray(at + 8)
    // Without a canvas the first chunk is the frame.
    if (!Object.hasOwn(headBytes, kind)) {
      if (canvasWidth === 0) return 'unknown'
      continue
    }
    if (data.length < headBytes[kind]!) return 'cut'
    switch (kind) {
      case 'VP8X':
        if (at > 12) return 'unknown'
        canvasWidth = data.readUIntLE(4, 3) + 1
        canvasHeight = data.readUIntLE(7, 3) + 1
        break
      case 'VP8 ':
        if (data.readUIntBE(3, 3) !== startCode) return 'unknown'
        return largest(data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff)
      case 'VP8L': {
        if (data[0] !== losslessSignature) return 'unknown'
        const bits = data.readUInt32LE(1)
        return largest((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
      }
      case 'ANMF': {
        const [x, y] = [2 * data.readUIntLE(0, 3), 2 * data.readUIntLE(3, 3)]
        return largest(x + data.readUIntLE(6, 3) + 1, y + data.readUIntLE(9, 3) + 1)
      }
    }
  }
  return 'cut'
}

/** Chunks with a size, and how many bytes are needed to read it. */
const headBytes: Readonly<Record<string, number>> = { VP8X: 10, 'VP8 ': 10, VP8L: 5, ANMF: 12 }
const startCode = 0x9d012a
const losslessSignature = 0x2f
const even = (length: number): number => length + (length & 1)

/**
 * Reads the size of a JPEG (ITU-T T.81, annex B) from the segments before its first scan. Decoders differ in which of
 * several frame headers they use, so the largest counts. If decoders differ otherwise, the size is unknown.
 */
function jpegSize(bytes: Buffer): SizeAnswer {
  let [width, height] = [0, 0]
  for (let at = 2, count = 0; at + 4 <= bytes.length; ) {
    if (++count > maxSegments || bytes[at] !== 0xff) return 'unknown'
    const marker = bytes[at + 1]!
    if (marker === startOfScan) return sizeOf(width, height)
    if (marker === fillByte) {
      at++
      continue
    }
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return 'unknown'
    if (hasSize(marker)) {
      if (at + 9 > bytes.length) return 'cut'
      const [lines, columns] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      // 0 lines means that a segment after the scan has the number.
      if (length < 8 || lines === 0 || columns === 0) return 'unknown'
      width = Math.max(width, columns)
      height = Math.max(height, lines)
    } else if (!isSkipped(marker)) return 'unknown'
    at += 2 + length
  }
  return 'cut'
}

const startOfScan = 0xda
const fillByte = 0xff

/** Frame headers, and the header of a hierarchy (DHP), which some decoders read as a frame header. */
const hasSize = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) || marker === 0xde

/** Tables (DHT, DAC, DQT), the restart interval, the expansion of a hierarchy, applications' segments and comments. */
const isSkipped = (marker: number): boolean =>
  [0xc4, 0xcc, 0xdb, 0xdd, 0xdf, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef)

/** Reads the size of a GIF (GIF89a): the size of its screen, extended by frames that reach beyond it. */
function gifSize(bytes: Buffer): SizeAnswer {
  if (bytes.length < 13) return 'cut'
  let [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  for (let at = 13 + tableBytes(bytes[10]!), count = 0; at < bytes.length; ) {
    if (++count > maxSegments) return 'unknown'
    const block = bytes[at]
    if (block === trailer) return sizeOf(width, height)
    if (block === extension) at = skipSubBlocks(bytes, at + 2)
    else if (block === imageDescriptor) {
      if (at + 10 > bytes.length) return 'cut'
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5))
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7))
      at = skipSubBlocks(bytes, at + 11 + tableBytes(bytes[at + 9]!))
    } else return 'unknown'
  }
  return 'cut'
}

const extension = 0x21
const imageDescriptor = 0x2c
const trailer = 0x3b

/** Bytes of a colour table, by the flags that announce it. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Skips blocks up to one of length 0. @returns the index after them; the buffer's length or more if they are cut */
function skipSubBlocks(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!
  return at + 1
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Reads the size of a PNG (W3C PNG, 5 and 11.2). Frames of an animation never exceed it. */
function pngSize(bytes: Buffer): SizeAnswer {
  // Signature, length, type, width and height.
  if (bytes.length < 24) return 'cut'
  if (!bytes.subarray(0, 8).equals(signature) || typeAt(bytes, 8) !== 'IHDR') return 'unknown'
  for (let at = 8, count = 0; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (++count > maxSegments) return 'unknown'
    const type = typeAt(bytes, at)
    if (type === 'IDAT') return sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
    // Some decoders use a second header.
    if (type === 'IHDR' && at > 8) return 'unknown'
  }
  return 'cut'
}

const typeAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at + 4, at + 8)

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
