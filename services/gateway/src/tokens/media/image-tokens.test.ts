import assert from 'node:assert/strict'
import type { ImageRule } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { imageTokens as countedBy } from '@tollgate/sandbox/models/media-tokens.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { dataUrl, jpegFrame, jpegOf, png } from '../../testing/media.ts'
import { measureImage } from './measure-media.ts'
import { imageTokens as tokensOf } from './media-bound.ts'

const gpt4o: ImageRule = { rule: 'tiles', base: 85, perTile: 170 }
const gpt4oMini: ImageRule = { rule: 'tiles', base: 2833, perTile: 5667 }
const gpt5: ImageRule = { rule: 'tiles', base: 70, perTile: 140 }
const gpt5Mini: ImageRule = { rule: 'patches', sidePx: 32, multiplier: 1.62, budget: 1536 }
const gpt6: ImageRule = {
  rule: 'patches',
  sidePx: 32,
  multiplier: 1.2,
  budget: 30_000,
  budgetByDetail: { low: 256, high: 2500 }
}
const gpt54: ImageRule = { ...gpt6, budget: 2500, budgetByDetail: { low: 6144, original: 10_000 } }
const claude: ImageRule = { rule: 'patches', sidePx: 28, multiplier: 1.06, budget: 1568 }
const fixed: ImageRule = { rule: 'fixed', tokens: 2240 }

const image = (width: number, height: number, detail?: unknown) => ({ url: dataUrl(png(width, height)), detail })

function imageTokens(image: unknown, rule: ImageRule): number {
  const { url, detail } = (typeof image === 'string' ? { url: image } : (image ?? {})) as {
    url?: string
    detail?: string
  }
  return tokensOf(measureImage(url ?? '', detail ?? null), rule)
}
// The examples of OpenAI's guide "Images and vision", and the maximum of each model.
const remote = { url: 'https://example.com/a.png' }
const examples: Array<[rule: ImageRule, image: unknown, tokens: number]> = [
  [gpt4o, image(1024, 1024), 765],
  [gpt4o, image(1024, 1024, 'high'), 765],
  [gpt4o, image(2048, 4096), 1105],
  [gpt4o, image(4096, 2048), 1105],
  [gpt4o, image(4096, 8192, 'low'), 85],
  [gpt4o, image(4096, 8192, 'LOW'), 1105],
  [gpt4o, image(1, 100_000), 85 + 4 * 170],
  [gpt4o, image(2048, 769), 85 + 8 * 170],
  [gpt4o, remote, 1445],
  [gpt4o, 'https://example.com/a.png', 1445],
  [gpt4o, dataUrl(png(1024, 1024)), 765],
  [gpt4o, undefined, 1445],
  [gpt4o, { url: 5 }, 1445],
  [gpt4oMini, image(1024, 1024), 25_501],
  [gpt4oMini, image(1024, 1024, 'auto'), 25_501],
  [gpt4oMini, image(1024, 1024, 'low'), 2833],
  [gpt4oMini, remote, 48_169],
  [gpt5, remote, 1190],
  [gpt5Mini, image(1024, 1024), Math.ceil(1024 * 1.62) + 1],
  [gpt5Mini, image(1800, 2400), 2489 + 1],
  [gpt5Mini, remote, 2489 + 1],
  [gpt6, image(4032, 3024), 14_364 + 1],
  [gpt6, image(4032, 3024, 'original'), 14_364 + 1],
  [gpt6, image(4032, 3024, 'high'), 3000 + 1],
  [gpt6, image(4032, 3024, 'low'), Math.ceil(256 * 1.2) + 1],
  [gpt6, image(4032, 3024, 'toString'), 14_364 + 1],
  [gpt6, remote, 36_000 + 1],
  [gpt54, remote, 12_000 + 1],
  [gpt54, { ...remote, detail: 'low' }, Math.ceil(6144 * 1.2) + 1],
  [fixed, image(1, 1), 2240],
  [fixed, remote, 2240]
]

for (const [index, [rule, shown, tokens]] of examples.entries()) {
  test(`example ${index + 1} counts ${tokens} tokens`, async () => assert.equal(imageTokens(shown, rule), tokens))
}

test('the observed maximum of Claude is within the rule', async () => {
  assert.ok(imageTokens(remote, claude) >= 1660)
  assert.ok(imageTokens(image(750, 750), claude) >= (750 * 750) / 750)
})

const side = fc.oneof(
  fc.integer({ min: 1, max: 5000 }),
  fc.constantFrom(32, 512, 767, 768, 769, 2047, 2048, 2049, 65_535)
)
const detail = fc.constantFrom(undefined, 'auto', 'low', 'high')

for (const [model, rule] of [
  ['gpt-4o-mini', gpt4oMini],
  ['gpt-4o', gpt4o],
  ['gpt-5', gpt5],
  ['gpt-5-mini', gpt5Mini]
] as const) {
  test(`no image of any size counts more with ${model} than its bound`, async () => {
    const maxTokens = imageTokens(remote, rule)
    fc.assert(
      fc.property(side, side, detail, (width, height, detail) => {
        const image = { url: dataUrl(jpegOf(jpegFrame(width, height))), ...(detail !== undefined && { detail }) }
        const bound = imageTokens(image, rule)
        const counted = countedBy({ type: 'image_url', image_url: image }, model)
        assert.ok(counted <= bound, `${width} × ${height}: ${counted} > ${bound}`)
        assert.ok(bound <= maxTokens, `${width} × ${height}: ${bound} > ${maxTokens}`)
      }),
      { numRuns: 2000 }
    )
  })
}
