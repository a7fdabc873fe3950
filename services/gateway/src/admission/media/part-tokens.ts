import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { maxAudioSeconds } from './audio-seconds.ts'
import { inlineImageSize } from './image-size/inline-image-size.ts'
import type { Size } from './image-size/size.ts'
import { imageTokens } from './image-tokens.ts'

/** What a model can read beside text. */
export type MediaRules = Pick<Model, 'images' | 'audio'>

/** Tokens, and how many bytes of the request they stand for: those are no text. */
export type MediaTokens = { tokens: number; bytes: number }

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

/**
 * The most tokens that an image can count.
 *
 * @throws ServiceError unpriced_parameter if the model takes no images
 */
export function imageBound(image: MeasuredImage, { images }: MediaRules): MediaTokens {
  if (images === undefined) throw refusedMedia('this model takes no images')
  // A provider that takes other files here would count them in its own way.
  if (image.isOtherFile) throw refusedMedia('an inline image must be of a type image/…')
  return { tokens: imageTokens(image, images), bytes: image.isInline ? image.bytes : 0 }
}

/**
 * The most tokens that a recording can count.
 *
 * @throws ServiceError unpriced_parameter if the model takes no audio, or nobody can tell how long it lasts
 */
export function audioBound({ seconds, bytes }: MeasuredAudio, { audio }: MediaRules): MediaTokens {
  if (audio === undefined) throw refusedMedia('this model takes no audio')
  if (seconds === null) throw refusedMedia('audio must be inline base64, MP3 or uncompressed WAV')
  return { tokens: Math.ceil(seconds * audio.tokensPerSecond), bytes }
}

/** @param what completes the sentence that the caller is told */
const refusedMedia = (what: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `messages: ${what}.` })
