/** Pixels; both at least 1. */
export interface Size {
  width: number
  height: number
}

/** `unknown` if decoders may see another size; `cut` if more bytes are needed. */
export type SizeAnswer = Size | 'unknown' | 'cut'

/** A size, or `unknown` if a side is empty. */
export function sizeOf(width: number, height: number): Size | 'unknown' {
  return width > 0 && height > 0 ? { width, height } : 'unknown'
}

/** Maximum segments, chunks or blocks that are read. No camera or program writes so many before the pixels. */
export const maxSegments = 2000
