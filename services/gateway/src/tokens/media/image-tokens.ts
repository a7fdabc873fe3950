import type { ImageRule } from '@tollgate/contracts/catalog/media-rules.ts'
import type { Size } from './image-size/size.ts'
import type { MeasuredImage } from './measure-media.ts'

/**
 * The most tokens that an image of a chat can count.
 *
 * @returns by the size in the image's bytes, or the model's maximum where that is not known, as of a remote image
 */
export function imageTokens({ size, detail }: Pick<MeasuredImage, 'size' | 'detail'>, rule: ImageRule): number {
  if (rule.rule === 'fixed') return rule.tokens
  if (rule.rule === 'tiles') {
    if (detail === 'low') return rule.base
    return rule.base + rule.perTile * (size === null ? maxTiles : tilesOf(size))
  }
  const budget = budgetOf(rule, detail)
  const patches = size === null ? budget : Math.min(budget, patchesOf(size, rule.sidePx))
  // Some models count one more, by OpenAI's guide.
  return Math.ceil(patches * rule.multiplier) + 1
}

/** The longest side, and the short one that is aimed at, of an image that is cut into tiles; and the side of a tile, px. */
const [maxSidePx, shortSidePx, tilePx] = [2048, 768, 512]
const maxTiles = (maxSidePx / tilePx) * Math.ceil(shortSidePx / tilePx)

/**
 * The tiles of an image: fitted into 2048 px, and then resized to a short side of 768 px (OpenAI, "Images and vision").
 * It is not said whether that enlarges small images, nor how sides are rounded in between: the most of all is taken.
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

/** Of whole pixels each quotient that is a whole number is exact. */
function tilesWithin(long: number, short: number): number {
  if (short * maxSidePx < shortSidePx * long)
    return (maxSidePx / tilePx) * Math.ceil((short * maxSidePx) / (long * tilePx))
  return Math.ceil((long * shortSidePx) / (short * tilePx)) * Math.ceil(shortSidePx / tilePx)
}

/** Of the image as it is: to shrink it, as providers do first, never gives more. */
const patchesOf = ({ width, height }: Size, sidePx: number): number =>
  Math.ceil(width / sidePx) * Math.ceil(height / sidePx)

/** Of a detail that the rule does not name, and of none, the most that any has. */
function budgetOf({ budget, budgetByDetail = {} }: ImageRule & { rule: 'patches' }, detail: string | null): number {
  if (detail !== null && Object.hasOwn(budgetByDetail, detail)) return budgetByDetail[detail]!
  return Math.max(budget, ...Object.values(budgetByDetail))
}
