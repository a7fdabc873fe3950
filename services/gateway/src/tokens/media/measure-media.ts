import { maxAudioSeconds } from './audio-seconds.ts'
import { inlineImageSize, type Size } from './inline-image-size.ts'

/** The properties of an image that determine its tokens. */
export interface MeasuredImage {
  kind: 'image'
  /** null if unknown. */
  size: Size | null
  detail: string | null
  /** Whether its bytes are in the request, and whether its URL declares another type than an image. */
  isInline: boolean
  isOtherFile: boolean
  /** The length of its URL in the request. */
  bytes: number
}

/** A recording of a request. */
export interface MeasuredAudio {
  kind: 'audio'
  seconds: number | null
  bytes: number
}

/**
 * Measures an image.
 *
 * @param url at least the first {@link readPrefix} characters, or all if it is shorter
 * @param bytes of the whole URL in the request
 */
export function measureImage(url: string, detail: string | null, bytes = url.length): MeasuredImage {
  const isInline = /^data:/i.test(url)
  const isOtherFile = isInline && !/^data:image\//i.test(url)
  return { kind: 'image', size: isInline ? inlineImageSize(url) : null, detail, isInline, isOtherFile, bytes }
}

/**
 * Measures a recording.
 *
 * @param data base64; at least the first {@link readPrefix} characters, or all if it is shorter
 */
export const measureAudio = (data: string, bytes = data.length): MeasuredAudio => ({
  kind: 'audio',
  seconds: maxAudioSeconds(data, bytes),
  bytes
})

/** How many characters of a data URL, or of base64, are read. */
export const readPrefix = 1024 * 1024 + 256
