import type { Part } from './requests.ts'

/** Counts the tokens of an image by the model's formula. Unknown models count as gpt-4o. */
export function imageTokens({ image_url: image }: Part, model: string): number {
  if (image === undefined) return 0
  const [, count] = families.find(([prefix]) => model.startsWith(prefix))!
  return count(readDimensions(image.url) ?? remote, image.detail ?? 'auto')
}

/** Counts the tokens of an audio part: 10 for each second. */
export function audioTokens({ input_audio: audio }: Part): number {
  if (audio === undefined) return 0
  const bytes = Buffer.from(audio.data, 'base64')
  return Math.ceil((bytes.length / bytesPerSecond(bytes)) * tokensPerSecond)
}

const tokensPerSecond = 10

/** For other formats than WAV and MP3. */
const defaultBytesPerSecond = 48_000

/** Bit rates of layer III in kbit/s: of MPEG 1, then of MPEG 2 and 2.5. */
const rates = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
]

const families: ReadonlyArray<readonly [prefix: string, count: Count]> = [
  ['gpt-4o-mini', tiles(2833, 5667)],
  ['gpt-5-mini', patches(1.62, 1536)],
  ['gpt-5-nano', patches(2.46, 1536)],
  ['gpt-5', tiles(70, 140)],
  ['', tiles(85, 170)]
]

/** The assumed size of an image whose bytes the server does not have. */
const remote: Dimensions = [1024, 1024]

// The formulas of OpenAI's guide "Images and vision" (August 2026), in the guide's steps.

type Count = (size: Dimensions, detail: string) => number

function tiles(base: number, perTile: number): Count {
  return (size, detail) => {
    if (detail === 'low') return base
    const fitted = shrink(size, 2048 / Math.max(...size))
    const [width, height] = shrink(fitted, 768 / Math.min(...fitted))
    return base + perTile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }
}

function patches(multiplier: number, budget: number): Count {
  return ([width, height]) => {
    const all = Math.ceil(width / 32) * Math.ceil(height / 32)
    if (all <= budget) return Math.ceil(all * multiplier)
    const scale = Math.sqrt((32 * 32 * budget) / (width * height))
    const [columns, rows] = [(width * scale) / 32, (height * scale) / 32]
    const fit = scale * Math.min(Math.floor(columns) / columns, Math.floor(rows) / rows)
    const shrunk = Math.ceil((width * fit) / 32) * Math.ceil((height * fit) / 32)
    return Math.ceil(Math.min(shrunk, budget) * multiplier)
  }
}

/** Whole pixels; never enlarges. */
function shrink([width, height]: Dimensions, scale: number): Dimensions {
  return scale >= 1
    ? [width, height]
    : [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
}

/** Width and height, px. */
type Dimensions = readonly [width: number, height: number]

/**
 * Reads the dimensions of a PNG, JPEG, GIF or lossy WebP in a data URL.
 *
 * @returns null for anything else, such as an image on the web
 */
export function readDimensions(url: string): Dimensions | null {
  const bytes = Buffer.from(/^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? '', 'base64')
  if (bytes.length < 30) return null
  if (bytes.readUInt32BE(0) === 0x89504e47) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (bytes.toString('latin1', 0, 3) === 'GIF') return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  if (bytes.toString('latin1', 8, 16) === 'WEBPVP8 ') return [bytes.readUInt16LE(26), bytes.readUInt16LE(28)]
  return bytes.readUInt16BE(0) === 0xffd8 ? readJpeg(bytes) : null
}

/** Reads the first frame header, which baseline and progressive images have. */
function readJpeg(bytes: Buffer): Dimensions | null {
  let at = 2
  while (at + 9 <= bytes.length && ![0xffc0, 0xffc1, 0xffc2].includes(bytes.readUInt16BE(at))) {
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return at + 9 <= bytes.length ? [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)] : null
}

/** Reads the rate from the header of a WAV, or from the first frame of an MP3. */
function bytesPerSecond(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.length >= 32) return bytes.readUInt32LE(28)
  if (bytes.length < 4 || bytes.readUInt16BE(0) < 0xffe0) return defaultBytesPerSecond
  const rate = rates[(bytes[1]! & 0x18) === 0x18 ? 0 : 1]![(bytes[2]! >> 4) - 1]
  return rate === undefined ? defaultBytesPerSecond : rate * 125
}
