import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { imageTokens } from './image-tokens.ts'
import type { MeasuredAudio, MeasuredImage } from './measure-media.ts'

/** How a model counts images and audio. */
export type MediaRules = Pick<Model, 'images' | 'audio'>

/** Tokens, and the bytes of the request that they replace. */
export interface MediaTokens {
  tokens: number
  bytes: number
}

/**
 * Bounds the tokens of an image.
 *
 * @throws ServiceError unpriced_parameter if the model takes no images
 */
export function imageBound(image: MeasuredImage, { images }: MediaRules): MediaTokens {
  if (images === undefined) throw refusedMedia('This model takes no images. Remove them, or use another model')
  // A provider may accept other files here, and count them in its own way.
  if (image.isOtherFile) throw refusedMedia('An inline image must be of a type image/…, such as image/png')
  return { tokens: imageTokens(image, images), bytes: image.isInline ? image.bytes : 0 }
}

/**
 * Bounds the tokens of a recording.
 *
 * @throws ServiceError unpriced_parameter if the model takes no audio, or the duration is unknown
 */
export function audioBound({ seconds, bytes }: MeasuredAudio, { audio }: MediaRules): MediaTokens {
  if (audio === undefined) throw refusedMedia('This model takes no audio. Remove it, or use another model')
  if (seconds === null) throw refusedMedia('Audio must be inline base64 of MP3 or uncompressed WAV')
  // Mistral bills whole seconds.
  return { tokens: Math.ceil(Math.ceil(seconds) * audio.tokensPerSecond), bytes }
}

/** @param what the message, without the last full stop */
const refusedMedia = (what: string): ServiceError => new ServiceError('unpriced_parameter', { message: `${what}.` })
