import { maxSegments, type SizeAnswer, sizeOf } from './size.ts'

/** Reads the size of a GIF (GIF89a): the size of its screen, extended by frames that reach beyond it. */
export function gifSize(bytes: Buffer): SizeAnswer {
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
