import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const latin = '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'

/** The weights that the dashboard uses. The whole font has 100 to 900, and is half as large again. */
const weights = { min: 400, max: 600, default: 400 }

/** Of the font's range of characters: the same as `unicode-range` in fonts.css. */
const ranges = [
  ...[[0x20, 0x7e], [0xa0, 0xff], [0x131], [0x152, 0x153], [0x2bb, 0x2bc], [0x2c6], [0x2da], [0x2dc], [0x304], [0x308]],
  ...[[0x329], [0x2000, 0x206f], [0x20ac], [0x2122], [0x2191], [0x2193], [0x2212], [0x2215], [0xfeff], [0xfffd]]
] as const

/** The part of the font that the dashboard uses, as WOFF2. */
export async function subsetLatin(): Promise<Buffer> {
  const text = ranges
    .flatMap(([first, last = first]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
    .map((point) => String.fromCodePoint(point))
    .join('')
  const whole = readFileSync(fileURLToPath(import.meta.resolve(latin)))
  return subsetFont(whole, text, { targetFormat: 'woff2', variationAxes: { wght: weights } })
}
