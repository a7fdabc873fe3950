import { some } from './kind.ts'

/** Seconds of silence as a WAV file in base64: 8 bit, 8 kHz. */
function silence(seconds: number): string {
  const sound = Buffer.alloc(44 + 8000 * seconds, 0x80)
  sound.write('RIFF')
  sound.writeUInt32LE(sound.length - 8, 4)
  sound.write('WAVEfmt ', 8)
  sound.writeUInt32LE(16, 16)
  sound.writeUInt16LE(1, 20)
  sound.writeUInt16LE(1, 22)
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(8000, 28)
  sound.writeUInt16LE(1, 32)
  sound.writeUInt16LE(8, 34)
  sound.write('data', 36)
  sound.writeUInt32LE(sound.length - 44, 40)
  return sound.toString('base64')
}

/** A streamed chat whose prompt is up to 15 s of audio. */
export const spoken = (random: () => number) => {
  const input_audio = { data: silence(some(random, 15)), format: 'wav' }
  return { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }], stream: true }
}

/** A PNG without pixels in base64, with sides up to 1,500 px. */
export function picture(random: () => number): string {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(some(random, 1500), 0)
  header.writeUInt32BE(some(random, 1500), 4)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const chunks = [chunk('IHDR', header), chunk('IDAT', Buffer.alloc(8)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks]).toString('base64')
}
