import { maxSegments, type SizeAnswer, sizeOf } from './size.ts'

/**
 * Reads the size of a JPEG (ITU-T T.81, annex B) from the segments before its first scan. Decoders differ in which of several
 * frame headers they use, so the largest counts. If decoders differ otherwise, the size is unknown.
 */
export function jpegSize(bytes: Buffer): SizeAnswer {
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
