import { maxAudioSeconds } from './audio-seconds.ts'
import { inlineImageSize } from './image-size/inline-image-size.ts'
import type { Size } from './image-size/size.ts'

/** An image of a request, as far as its tokens depend on it. */
export type MeasuredImage = {
  kind: 'image'
  /** null if nobody can tell. */
  size: Size | null
  detail: string | null
  /** Whether its bytes are in the request, and whether they are said to be something else than an image. */
  isInline: boolean
  isOtherFile: boolean
  /** Of its URL in the request. */
  bytes: number
}

/** A recording of a request. */
export type MeasuredAudio = { kind: 'audio'; seconds: number | null; bytes: number }

/**
 * Measures an image.
 *
 * @param url its beginning, at least {@link readPrefix} characters, and all of them if it is shorter
 * @param bytes of the whole URL in the request
 */
export function measureImage(url: string, detail: string | null, bytes = url.length): MeasuredImage {
  const isInline = /^data:/i.test(url)
  const isOtherFile = isInline && !/^data:image\//i.test(url)
  return { kind: 'image', size: isInline ? inlineImageSize(url) : null, detail, isInline, isOtherFile, bytes }
}

/** Measures a recording. @param data as of {@link measureImage} */
export const measureAudio = (data: string, bytes = data.length): MeasuredAudio => ({
  kind: 'audio',
  seconds: maxAudioSeconds(data, bytes),
  bytes
})

/** How much of a text of base64 is looked at, with what stands before it. */
export const readPrefix = 1024 * 1024 + 256
