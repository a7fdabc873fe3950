import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { memberOf } from '../../usage/usage.ts'
import { maxAudioSeconds } from './audio-seconds.ts'
import { imageTokens } from './image-tokens.ts'

/** What a model can read beside text. */
export type MediaRules = Pick<Model, 'images' | 'audio'>

/** Tokens, and how many bytes of the request they stand for: those are no text. */
export type MediaTokens = { tokens: number; bytes: number }

/**
 * The most tokens that the image of a part can count.
 *
 * @param image the part's `image_url`
 * @throws ServiceError unpriced_parameter if the model takes no images
 */
export function imageBound(image: unknown, { images }: MediaRules): MediaTokens {
  if (images === undefined) throw refusedMedia('this model takes no images')
  const url = typeof image === 'string' ? image : memberOf(image, 'url')
  const isInline = typeof url === 'string' && /^data:/i.test(url)
  // A provider that takes other files here would count them in its own way.
  if (isInline && !/^data:image\//i.test(url)) throw refusedMedia('an inline image must be of a type image/…')
  return { tokens: imageTokens(image, images), bytes: isInline ? url.length : 0 }
}

/**
 * The most tokens that the audio of a part can count.
 *
 * @param audio the part's `input_audio`
 * @throws ServiceError unpriced_parameter if the model takes no audio, or nobody can tell how long it lasts
 */
export function audioBound(input: unknown, { audio }: MediaRules): MediaTokens {
  if (audio === undefined) throw refusedMedia('this model takes no audio')
  const data = memberOf(input, 'data')
  const seconds = typeof data === 'string' ? maxAudioSeconds(data) : null
  if (seconds === null) throw refusedMedia('audio must be inline base64, MP3 or uncompressed WAV')
  return { tokens: Math.ceil(seconds * audio.tokensPerSecond), bytes: (data as string).length }
}

/** @param what completes the sentence that the caller is told */
export const refusedMedia = (what: string): ServiceError =>
  new ServiceError('unpriced_parameter', { message: `messages: ${what}.` })
