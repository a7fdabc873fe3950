import { type Dimensions, readDimensions } from './image-dimensions.ts'
import type { Part } from './requests.ts'

// The formulas of OpenAI's guide "Images and vision" (August 2026), in the guide's steps.

type Count = (size: Dimensions, detail: string) => number

const families: ReadonlyArray<readonly [prefix: string, count: Count]> = [
  ['gpt-4o-mini', tiles(2833, 5667)],
  ['gpt-5-mini', patches(1.62, 1536)],
  ['gpt-5-nano', patches(2.46, 1536)],
  ['gpt-5', tiles(70, 140)],
  ['', tiles(85, 170)]
]

/** The assumed size of an image whose bytes the server does not have. */
const remote: Dimensions = [1024, 1024]

/** Counts the tokens of an image by the model's formula. Unknown models count as gpt-4o. */
export function imageTokens({ image_url: image }: Part, model: string): number {
  if (image === undefined) return 0
  const [, count] = families.find(([prefix]) => model.startsWith(prefix))!
  return count(readDimensions(image.url) ?? remote, image.detail ?? 'auto')
}

function tiles(base: number, perTile: number): Count {
  return (size, detail) => {
    if (detail === 'low') return base
    const fitted = shrink(size, 2048 / Math.max(...size))
    const [width, height] = shrink(fitted, 768 / Math.min(...fitted))
    return base + perTile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }
}

function patches(multiplier: number, budget: number): Count {
  return ([width, height]) => {
    const all = Math.ceil(width / 32) * Math.ceil(height / 32)
    if (all <= budget) return Math.ceil(all * multiplier)
    const scale = Math.sqrt((32 * 32 * budget) / (width * height))
    const [columns, rows] = [(width * scale) / 32, (height * scale) / 32]
    const fit = scale * Math.min(Math.floor(columns) / columns, Math.floor(rows) / rows)
    const shrunk = Math.ceil((width * fit) / 32) * Math.ceil((height * fit) / 32)
    return Math.ceil(Math.min(shrunk, budget) * multiplier)
  }
}

/** Whole pixels; never enlarges. */
function shrink([width, height]: Dimensions, scale: number): Dimensions {
  return scale >= 1
    ? [width, height]
    : [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
}
