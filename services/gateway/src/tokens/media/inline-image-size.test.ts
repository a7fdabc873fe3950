import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import {
  animationFrame,
  dataUrl,
  gif,
  gifFrame,
  jpegFrame,
  jpegOf,
  jpegSegment,
  png,
  pngChunk,
  pngHeader,
  vp8,
  vp8l,
  vp8x,
  webpChunk,
  webpOf
} from '../../testing/media.ts'
import { mutate, mutations } from '../../testing/mutations.ts'
import { inlineImageSize } from './inline-image-size.ts'

const exif = (bytes: number): Buffer => jpegSegment(0xe1, Buffer.alloc(bytes))
const profile = (bytes: number): Buffer => pngChunk('iCCP', Buffer.alloc(bytes))

const sizes: Array<[name: string, image: Buffer, size: [width: number, height: number] | null]> = [
  ['a PNG', png(1024, 768), [1024, 768]],
  ['a PNG with a profile', png(3, 4, profile(50_000)), [3, 4]],
  ['a PNG with a second header', png(3, 4, pngHeader(3000, 4000)), null],
  ['a PNG with its pixels behind the bytes that are read', png(3, 4, profile(1e6)), null],
  ['an empty PNG', png(0, 4), null],
  ['the largest PNG', png(0xffffffff, 0xffffffff), [0xffffffff, 0xffffffff]],
  [
    'a PNG whose header comes later',
    Buffer.concat([png(1, 1).subarray(0, 8), profile(9), png(1, 1).subarray(8)]),
    null
  ],
  ['half a PNG', png(1024, 768).subarray(0, 20), null],
  ['a JPEG', jpegOf(jpegFrame(640, 480)), [640, 480]],
  ['a progressive JPEG', jpegOf(jpegFrame(640, 480, 0xc2)), [640, 480]],
  ['a JPEG from a camera', jpegOf(exif(60_000), exif(60_000), jpegFrame(4032, 3024)), [4032, 3024]],
  ['a JPEG with a preview in a comment', jpegOf(jpegSegment(0xfe, jpegOf(jpegFrame(1, 1))), jpegFrame(9, 8)), [9, 8]],
  ['a JPEG with two frame headers', jpegOf(jpegFrame(1, 900), jpegFrame(800, 2)), [800, 900]],
  ['a JPEG with fill bytes', jpegOf(Buffer.from([0xff, 0xff]), jpegFrame(9, 8)), [9, 8]],
  ['a JPEG that gives its lines after the scan', jpegOf(jpegFrame(640, 0)), null],
  ['a JPEG with a segment that only some skip', jpegOf(jpegSegment(0xf0, jpegFrame(1, 1)), jpegFrame(9, 8)), null],
  ['a JPEG with rubbish between its segments', jpegOf(Buffer.from('x'), jpegFrame(9, 8)), null],
  ['a JPEG without a size', jpegOf(exif(10)), null],
  ['a JPEG that breaks off', jpegOf(exif(60_000), jpegFrame(4032, 3024)).subarray(0, 60_000), null],
  [
    'a JPEG with its size behind the bytes that are read',
    jpegOf(...Array(20).fill(exif(60_000)), jpegFrame(9, 8)),
    null
  ],
  [
    'a JPEG with too many comments',
    jpegOf(...Array(3000).fill(jpegSegment(0xfe, Buffer.alloc(0))), jpegFrame(9, 8)),
    null
  ],
  ['a GIF', gif(320, 200, gifFrame(0, 0, 320, 200)), [320, 200]],
  [
    'a GIF with a frame beyond its screen',
    gif(1, 1, gifFrame(0, 0, 1, 1), gifFrame(100, 50, 3000, 2000)),
    [3100, 2050]
  ],
  ['a GIF without an end', gif(320, 200, gifFrame(0, 0, 320, 200)).subarray(0, -1), null],
  ['a lossy WebP', webpOf(vp8(550, 368)), [550, 368]],
  ['a lossless WebP', webpOf(vp8l(16_384, 3)), [16_384, 3]],
  ['a WebP with a canvas', webpOf(vp8x(400, 300), webpChunk('ICCP', Buffer.alloc(501)), vp8(400, 300)), [400, 300]],
  ['a WebP larger than its canvas', webpOf(vp8x(1, 1), vp8(5000, 6000)), [5000, 6000]],
  [
    'an animated WebP',
    webpOf(vp8x(100, 90), webpChunk('ANIM', Buffer.alloc(6)), animationFrame(98, 0, 4, 5)),
    [102, 90]
  ],
  ['a WebP that begins with something else', webpOf(webpChunk('JUNK', Buffer.alloc(30)), vp8(1, 1)), null],
  ['something else', Buffer.from('<svg width="1" height="1"/>'), null],
  ['nothing', Buffer.alloc(0), null]
]

for (const [name, image, size] of sizes) {
  test(`${name}: ${size === null ? 'its size is unknown' : size.join(' × ')}`, async () => {
    const expected = size === null ? null : { width: size[0], height: size[1] }
    assert.deepEqual(inlineImageSize(dataUrl(image)), expected)
    assert.deepEqual(inlineImageSize(dataUrl(image, 'image/whatever')), expected, 'the declared type does not matter')
  })
}

test('an image has no size if decoders of base64 or of data URLs may read it differently', async () => {
  const url = dataUrl(png(10, 10))
  const [head, data] = url.split(',') as [string, string]
  const larger = dataUrl(png(9000, 9000)).split(',')[1]!
  for (const other of [
    'https://example.com/a.png',
    `${url},${larger}`,
    `${head},${data.slice(0, 8)}\n${data.slice(8)}`,
    `${head},${data.slice(0, 8)}-${data.slice(9)}`,
    `${head},${data.slice(0, 4)}==${data.slice(6)}`,
    `${head},${'A'.repeat(4)}=${data}`,
    ` ${url}`,
    `data:image/png;charset=utf-8;base64,${data}`,
    `data:image/png,${data}`,
    ''
  ]) {
    assert.equal(inlineImageSize(other), null, other.slice(0, 60))
  }
  assert.ok(inlineImageSize(url.replace('data:image/png', 'DATA:Image/PNG')))
})

test('any bytes and any changed image are read without an error and in bounded time', async () => {
  const images = sizes.map(([, image]) => image.subarray(0, 4000))
  const someBytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.constantFrom(...images), mutations).map(([image, changes]) => mutate(image, changes)),
    // The beginning of an image, and any bytes behind it.
    fc
      .tuple(fc.constantFrom(...images), fc.nat(30), fc.uint8Array({ maxLength: 300 }))
      .map(([image, length, rest]) => Buffer.concat([image.subarray(0, length), rest]))
  )
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const size = inlineImageSize(dataUrl(bytes))
      if (size === null) return
      assert.ok(
        Number.isSafeInteger(size.width) && size.width > 0 && Number.isSafeInteger(size.height) && size.height > 0
      )
    }),
    { numRuns: 5000 }
  )
  fc.assert(
    fc.property(fc.string(), fc.string(), (head, rest) => {
      inlineImageSize(`data:image/${head};base64,${rest}`)
      inlineImageSize(rest)
    })
  )
})
