import assert from 'node:assert/strict'
import t from 'tap'
import { classifyHead } from './client-may-retry.ts'

t.test('only JSON and event streams are answers', async () => {
  const classify = (status: number, contentType?: string, contentEncoding?: string) => {
    const kind = classifyHead(status, { contentType, contentEncoding })
    return typeof kind === 'string' ? kind : 'fault'
  }
  for (const [contentType, expected] of [
    [undefined, 'body'],
    ['application/json', 'body'],
    ['Application/JSON; charset=utf-8', 'body'],
    ['application/problem+json', 'body'],
    ['text/plain;charset=UTF-8', 'body'],
    ['text/event-stream', 'stream'],
    ['text/event-stream;charset=utf-8', 'stream'],
    ['text/html', 'fault'],
    ['text/event-streams', 'fault'],
    ['application/jsonp', 'fault'],
    ['application/octet-stream', 'fault'],
    ['application/json, text/html', 'fault'],
    ['', 'fault']
  ] as const) {
    assert.equal(classify(200, contentType), expected, String(contentType))
  }
  for (const encoding of ['gzip', 'x-gzip', 'deflate', 'br', 'identity', 'GZIP']) {
    assert.equal(classify(200, undefined, encoding), 'body', encoding)
  }
  for (const encoding of ['gzip, br', 'compress', 'zstd', '', '__proto__'])
    assert.equal(classify(200, undefined, encoding), 'fault')
  assert.deepEqual(
    [201, 203, 204, 205, 206].map((status) => classify(status)),
    ['body', 'body', 'fault', 'fault', 'fault']
  )
})
