/** Builds images with complete headers but no pixels, and recordings of silence. */

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const u16be = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value >>> 8, value & 0xff]))
const u16le = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value & 0xff, value >>> 8]))
const u24le = (...values: number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [value & 0xff, (value >>> 8) & 0xff, value >>> 16]))

function u32(value: number, isBigEndian: boolean): Buffer {
  const bytes = Buffer.alloc(4)
  if (isBigEndian) bytes.writeUInt32BE(value)
  else bytes.writeUInt32LE(value)
  return bytes
}

export const pngChunk = (type: string, data: Buffer): Buffer =>
  Buffer.concat([u32(data.length, true), latin1(type), data, Buffer.alloc(4)])

export const pngHeader = (width: number, height: number): Buffer =>
  pngChunk('IHDR', Buffer.concat([u32(width, true), u32(height, true), Buffer.from([8, 2, 0, 0, 0])]))

export const png = (width: number, height: number, ...between: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngHeader(width, height),
    ...between,
    pngChunk('IDAT', Buffer.alloc(8)),
    pngChunk('IEND', Buffer.alloc(0))
  ])

/** A segment of a JPEG, with its length. */
export const jpegSegment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), u16be(data.length + 2), data])

/** @param marker default: a baseline frame */
export const jpegFrame = (width: number, height: number, marker = 0xc0): Buffer =>
  jpegSegment(marker, Buffer.concat([Buffer.from([8]), u16be(height, width), Buffer.from([1, 1, 0x11, 0])]))

export const jpegOf = (...segments: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, jpegSegment(0xda, Buffer.alloc(6)), Buffer.alloc(20)])

export const gifFrame = (left: number, top: number, width: number, height: number): Buffer =>
  Buffer.concat([Buffer.from([0x2c]), u16le(left, top, width, height), Buffer.from([0, 2, 2, 0x4c, 1, 0])])

/** A GIF with a table of two colours and an extension. */
export const gif = (width: number, height: number, ...frames: Buffer[]): Buffer =>
  Buffer.concat([
    latin1('GIF89a'),
    u16le(width, height),
    Buffer.from([0x80, 0, 0]),
    Buffer.alloc(6),
    Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
    ...frames,
    Buffer.from([0x3b])
  ])

export const webpChunk = (type: string, data: Buffer): Buffer =>
  Buffer.concat([latin1(type), u32(data.length, false), data, Buffer.alloc(data.length & 1)])

export const webpOf = (...chunks: Buffer[]): Buffer => {
  const body = Buffer.concat([latin1('WEBP'), ...chunks])
  return Buffer.concat([latin1('RIFF'), u32(body.length, false), body])
}

export const vp8 = (width: number, height: number): Buffer =>
  webpChunk('VP8 ', Buffer.concat([Buffer.from('3001009d012a', 'hex'), u16le(width, height), Buffer.alloc(20)]))

export const vp8l = (width: number, height: number): Buffer =>
  webpChunk('VP8L', Buffer.concat([Buffer.from([0x2f]), u32(((height - 1) << 14) | (width - 1), false)]))

export const vp8x = (width: number, height: number): Buffer =>
  webpChunk('VP8X', Buffer.concat([Buffer.alloc(4), u24le(width - 1, height - 1)]))

export const animationFrame = (x: number, y: number, width: number, height: number): Buffer =>
  webpChunk('ANMF', Buffer.concat([u24le(x / 2, y / 2, width - 1, height - 1), Buffer.alloc(12)]))

/** @param type the type that the URL declares; it need not be that of the bytes */
export const dataUrl = (bytes: Uint8Array, type = 'image/png'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

/** A PCM WAV. @param options members of its header; `bytesPerSecond` changes nothing else */
export function wav(
  seconds: number,
  options: { codec?: number; channels?: number; perSecond?: number; bits?: number; bytesPerSecond?: number } = {}
): Buffer {
  const { codec = 1, channels = 1, perSecond = 8000, bits = 16 } = options
  const bytesPerSecond = options.bytesPerSecond ?? (perSecond * channels * bits) / 8
  const head = Buffer.concat([
    u16le(codec, channels),
    u32(perSecond, false),
    u32(bytesPerSecond, false),
    u16le((channels * bits) / 8, bits)
  ])
  const data = Buffer.alloc((seconds * perSecond * channels * bits) / 8)
  return Buffer.concat([
    latin1('RIFF'),
    u32(36 + data.length, false),
    latin1('WAVEfmt '),
    u32(head.length, false),
    head,
    latin1('data'),
    u32(data.length, false),
    data
  ])
}

/** An MP3 of 8 kbit/s (MPEG 2, 16 kHz: 36 bytes for 36 ms a frame). */
export const mp3 = (seconds: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(seconds / 0.036) }, () =>
      Buffer.concat([Buffer.from([0xff, 0xf3, 0x18, 0xc0]), Buffer.alloc(32)])
    )
  )
