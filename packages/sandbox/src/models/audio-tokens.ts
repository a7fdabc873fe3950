import type { Part } from './requests.ts'

const tokensPerSecond = 10
/** For other formats than WAV and MP3. */
const defaultBytesPerSecond = 48_000

/** Counts the tokens of an audio part: 10 for each second. */
export function audioTokens({ input_audio: audio }: Part): number {
  if (audio === undefined) return 0
  const bytes = Buffer.from(audio.data, 'base64')
  return Math.ceil((bytes.length / bytesPerSecond(bytes)) * tokensPerSecond)
}

/** Bit rates of layer III in kbit/s: of MPEG 1, then of MPEG 2 and 2.5. */
const rates = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
]

/** Reads the rate from the header of a WAV, or from the first frame of an MP3. */
function bytesPerSecond(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.length >= 32) return bytes.readUInt32LE(28)
  if (bytes.length < 4 || bytes.readUInt16BE(0) < 0xffe0) return defaultBytesPerSecond
  const rate = rates[(bytes[1]! & 0x18) === 0x18 ? 0 : 1]![(bytes[2]! >> 4) - 1]
  return rate === undefined ? defaultBytesPerSecond : rate * 125
}
