/** Width and height, px. */
export type Dimensions = readonly [width: number, height: number]

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
