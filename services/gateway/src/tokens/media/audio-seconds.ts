import { decodePrefix } from './base64-prefix.ts'

/**
 * Bytes decoded in the first and the second try. Nearly all headers are short; tags before an MP3 may hold pictures.
 */
const prefixBytes = [3 * 1024, 768 * 1024]

/**
 * Bounds the seconds of speech in a request. Neither its size nor its named format bounds them: a small FLAC can last
 * hours. So this measures only MP3, and uncompressed WAV by its header.
 *
 * @param data base64, or its beginning
 * @param length of all of it
 * @returns null if unknown
 */
export function maxAudioSeconds(data: string, length = data.length): number | null {
  for (const maxBytes of prefixBytes) {
    const bytes = decodePrefix(data, 0, maxBytes)
    if (bytes === null) return null
    const bytesPerSecond = isWav(bytes) ? wavBytesPerSecond(bytes) : isMp3(bytes) ? mp3BytesPerSecond : 0
    if (bytesPerSecond > 0) return Math.ceil(length * 0.75) / bytesPerSecond
  }
  return null
}

const isWav = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE'

/** PCM, floating point, A-law and µ-law have a constant rate of bytes. */
const steadyCodecs = [1, 3, 6, 7]
const extensible = 0xfffe
const maxChunks = 64

/**
 * The lowest rate in a WAV's header. Decoders differ in which of several formats they take, and the rates may differ. 0
 * if the sound is compressed, has no format, or does not begin within these bytes.
 */
function wavBytesPerSecond(bytes: Buffer): number {
  let lowest = Number.POSITIVE_INFINITY
  for (let at = 12, chunk = 0; chunk < maxChunks && at + 8 <= bytes.length; chunk++) {
    const length = bytes.readUInt32LE(at + 4)
    const name = bytes.toString('latin1', at, at + 4)
    if (name === 'data') return Number.isFinite(lowest) ? lowest : 0
    if (name === 'fmt ') lowest = Math.min(lowest, formatBytesPerSecond(bytes.subarray(at + 8, at + 8 + length)))
    at += 8 + length + (length & 1)
  }
  return 0
}

/** The lowest rate of a format; 0 if it is compressed. */
function formatBytesPerSecond(data: Buffer): number {
  if (data.length < 16) return 0
  const declaredCodec = data.readUInt16LE(0)
  // An extensible format begins its subformat with the codec.
  const codec = declaredCodec === extensible && data.length >= 26 ? data.readUInt16LE(24) : declaredCodec
  if (!steadyCodecs.includes(codec)) return 0
  const [channels, perSecond] = [data.readUInt16LE(2), data.readUInt32LE(4)]
  const [declaredBytes, blockBytes, bits] = [data.readUInt32LE(8), data.readUInt16LE(12), data.readUInt16LE(14)]
  return Math.min(declaredBytes, perSecond * blockBytes, (perSecond * channels * bits) / 8)
}

/** 8 kbit/s, the lowest rate that an MP3 can name. */
const mp3BytesPerSecond = 1000
const maxTags = 4

/** Whether bytes begin, after their tags, with a frame of MP3 that names its rate. */
function isMp3(bytes: Buffer): boolean {
  let at = 0
  // An ID3v2 tag says its length with 7 bits of each byte.
  for (let tag = 0; tag < maxTags && bytes.toString('latin1', at, at + 3) === 'ID3' && at + 10 <= bytes.length; tag++) {
    const [a, b, c, d] = bytes.subarray(at + 6, at + 10) as unknown as [number, number, number, number]
    const footer = bytes[at + 5]! & 0x10 ? 10 : 0
    at += 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f)) + footer
  }
  if (at + 4 > bytes.length) return false
  const [first, second, third] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!]
  const isLayer3 = first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08
  const rate = third >> 4
  return isLayer3 && rate !== 0 && rate !== 15 && (third & 0x0c) !== 0x0c
}
