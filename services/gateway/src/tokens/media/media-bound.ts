import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { imageTokens } from './image-tokens.ts'
import type { MeasuredAudio, MeasuredImage } from './measure-media.ts'

/** What a model can read beside text. */
export type MediaRules = Pick<Model, 'images' | 'audio'>

/** Tokens, and how many bytes of the request they stand for: those are no text. */
export type MediaTokens = { tokens: number; bytes: number }

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
