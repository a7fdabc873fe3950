import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { ImageRule } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Size } from './inline-image-size.ts'
import type { MeasuredAudio, MeasuredImage } from './measure-media.ts'

/**
 * Bounds the tokens of an image by its size. Without a known size, as for remote images, the bound is the model's
 * maximum.
 */
export function imageTokens({ size, detail }: Pick<MeasuredImage, 'size' | 'detail'>, rule: ImageRule): number {
  if (rule.rule === 'fixed') return rule.tokens
  if (rule.rule === 'tiles') {
    if (detail === 'low') return rule.base
    return rule.base + rule.perTile * (size === null ? maxTiles : tilesOf(size))
  }
  const budget = budgetOf(rule, detail)
  const patches = size === null ? budget : Math.min(budget, patchesOf(size, rule.sidePx))
  // By OpenAI's guide, some models count one token more.
  return Math.ceil(patches * rule.multiplier) + 1
}

/** For images that are cut into tiles: the longest side, the target of the short side, and the side of a tile, px. */
const [maxSidePx, shortSidePx, tilePx] = [2048, 768, 512]
const maxTiles = (maxSidePx / tilePx) * Math.ceil(shortSidePx / tilePx)

/**
 * Bounds the tiles of an image, fitted into 2048 px and then resized to a short side of 768 px (OpenAI, "Images and
 * vision"). The guide does not say whether small images grow, or how sides are rounded. So this takes the maximum.
 */
function tilesOf({ width, height }: Size): number {
  const [long, short] = [Math.max(width, height), Math.min(width, height)]
  if (long <= maxSidePx) return tilesWithin(long, short)
  const fitted = (short * maxSidePx) / long
  return Math.max(
    tilesWithin(maxSidePx, Math.max(1, Math.floor(fitted))),
    tilesWithin(maxSidePx, Math.max(1, Math.ceil(fitted)))
  )
}

/** The sides are whole pixels, so each quotient that is a whole number is exact. */
function tilesWithin(long: number, short: number): number {
  if (short * maxSidePx < shortSidePx * long)
    return (maxSidePx / tilePx) * Math.ceil((short * maxSidePx) / (long * tilePx))
  return Math.ceil((long * shortSidePx) / (short * tilePx)) * Math.ceil(shortSidePx / tilePx)
}

/** The patches of the original image. Providers shrink it first; that never adds patches. */
const patchesOf = ({ width, height }: Size, sidePx: number): number =>
  Math.ceil(width / sidePx) * Math.ceil(height / sidePx)

/** The budget of a detail; the largest budget if the image has no detail, or the rule does not name it. */
function budgetOf({ budget, budgetByDetail = {} }: ImageRule & { rule: 'patches' }, detail: string | null): number {
  if (detail !== null && Object.hasOwn(budgetByDetail, detail)) return budgetByDetail[detail]!
  return Math.max(budget, ...Object.values(budgetByDetail))
}

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
