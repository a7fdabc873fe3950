import { maxSegments, type SizeAnswer, sizeOf } from './size.ts'

/** Reads the size of a WebP (RFC 9649): for each side, the larger of its canvas and its first frame. */
export function webpSize(bytes: Buffer): SizeAnswer {
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
