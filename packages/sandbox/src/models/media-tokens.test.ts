import assert from 'node:assert/strict'
import { test } from 'tap'
import { imageTokens } from './media-tokens.ts'

/** A PNG header with only the bytes that are read. */
function pngUrl(width: number, height: number): string {
  const bytes = Buffer.alloc(33)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return `data:image/png;base64,${bytes.toString('base64')}`
}

const count = (model: string, url: string, detail?: string) =>
  imageTokens({ type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } }, model)

test('the examples of OpenAI’s guide have the guide’s counts', async () => {
  assert.equal(count('gpt-4o', pngUrl(1024, 1024)), 765)
  assert.equal(count('gpt-4o', pngUrl(2048, 4096)), 1105)
  assert.equal(count('gpt-4o', pngUrl(4096, 8192), 'low'), 85)
  assert.equal(count('gpt-4o-mini', pngUrl(1024, 1024)), 25_501)
  assert.equal(count('gpt-5-mini', pngUrl(1024, 1024)), Math.ceil(1024 * 1.62))
  assert.equal(count('gpt-5-mini', pngUrl(1800, 2400)), Math.ceil(1452 * 1.62))
  assert.equal(count('gpt-5', pngUrl(512, 512)), 210)
  assert.equal(count('anything', 'https://example.com/a.png'), 765)
})
