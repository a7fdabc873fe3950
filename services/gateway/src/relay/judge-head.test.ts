import t from 'tap'
import { judgeHead } from './judge-head.ts'

t.test('JSON and streams of events are answers, and nothing else is', async (t) => {
  const judge = (status: number, contentType?: string, contentEncoding?: string) => {
    const kind = judgeHead(status, { contentType, contentEncoding })
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
    t.equal(judge(200, contentType), expected, String(contentType))
  }
  for (const encoding of ['gzip', 'x-gzip', 'deflate', 'br', 'identity', 'GZIP']) {
    t.equal(judge(200, undefined, encoding), 'body', encoding)
  }
  for (const encoding of ['gzip, br', 'compress', 'zstd', '', '__proto__'])
    t.equal(judge(200, undefined, encoding), 'fault')
  t.same(
    [201, 203, 204, 205, 206].map((status) => judge(status)),
    ['body', 'body', 'fault', 'fault', 'fault']
  )
})
