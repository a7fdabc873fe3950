/** Pixels; both at least 1. */
export type Size = { width: number; height: number }

/** `unknown` if decoders may see another size than the bytes seem to say; `cut` if more bytes are needed to tell. */
export type SizeAnswer = Size | 'unknown' | 'cut'

/** A size, or `unknown` if a side is empty. */
export function sizeOf(width: number, height: number): Size | 'unknown' {
  return width > 0 && height > 0 ? { width, height } : 'unknown'
}

/** More segments, chunks or blocks in front of its pixels than any camera or program writes: not worth reading. */
export const maxSegments = 2000
