import { maxSegments, type SizeAnswer, sizeOf } from './size.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Reads the size of a PNG (W3C PNG, 5 and 11.2). Frames of an animation never exceed it. */
export function pngSize(bytes: Buffer): SizeAnswer {
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
