import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { plainAnswer } from '../testing/fake-upstream.ts'
import { collectLogLines } from '../testing/log-lines.ts'
import { catalogOf, startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import { tokensInTransit } from '../tokens/received-text.ts'
import { RetryBudget } from '../upstreams/retry-budget.ts'
import type { Upstream } from '../upstreams/upstreams.ts'

type Reply = ServerResponse | Http2ServerResponse
type Answer = (response: ServerResponse) => void

const pem = fileURLToPath(new URL('../testing/localhost.pem', import.meta.url))
const lines = collectLogLines()
const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const usage = { prompt_tokens: 11, completion_tokens: 7 }
const usageCost = Math.ceil((11 * inputPicos + 7 * outputPicos) / 1000)

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const html = '<!DOCTYPE html><html><body>{"choices":[{}]}</body></html>'
const whole = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' } }], usage })
const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`
const word = chunk({ content: 'Hello' })
const finish = chunk({}, { finish_reason: 'stop' })
const usageEvent = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
const error = 'data: {"error":{"message":"overloaded","code":529}}\n\n'
const namedError = 'event: error\ndata: {"message":"overloaded"}\n\n'
const done = 'data: [DONE]\n\n'

const send =
  (status: number, headers: Record<string, string>, ...pieces: Array<string | Buffer>): Answer =>
  async (response) => {
    response.writeHead(status, headers)
    for (const piece of pieces) {
      await new Promise<void>((resolve) => void response.write(piece, () => resolve()))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    response.end()
  }
/** A body with its length. */
const sized = (body: string, headers = json): Answer =>
  send(200, { ...headers, 'content-length': `${body.length}` }, body)

/** Answers that another call replaces, and that cost nothing. */
const worthless: Record<string, Answer> = {
  'a page': send(200, { 'content-type': 'text/html' }, html),
  'a page that says it is JSON': sized(html),
  'a page without a type': send(200, {}, html),
  'an empty body': sized(''),
  'an empty body in chunks': send(200, json),
  '204': send(204, {}),
  '205': send(205, {}),
  '302': send(302, { location: 'https://elsewhere.example/' }),
  'an error with status 200': sized('{"error":{"message":"overloaded"},"usage":null}'),
  'an error in pieces': send(200, json, '{"error":{"mess', 'age":"overloaded"}', '}'),
  'an object that is not an answer': sized('{"object":"chat.completion"}'),
  'an answer without choices': sized('{"choices":[]}'),
  null: sized('null'),
  'an error beside choices': sized('{"choices":[{"index":0,"message":{"content":""}}],"error":{"code":502}}'),
  'an error before choices, in pieces': send(200, json, '{"error" : "no",', '"choices":[{"index":0}', ']}'),
  'the error of vLLM': sized('{"object":"error","message":"no","choices":[{"index":0}]}'),
  'the error of OpenRouter': sized('{"choices":[{"message":{"content":""},"error":{"code":502}}]}'),
  'the finish reason error of OpenRouter': sized('{"choices":[{"message":{"content":""},"finish_reason": "error"}]}'),
  'a list': sized('[{"choices":[{}]}]'),
  'an error between white space': send(200, json, '\n{"detail":"no"}\n'),
  'an unknown encoding': send(200, { ...json, 'content-encoding': 'x-own' }, whole),
  'zstd with several frames': send(
    200,
    { ...json, 'content-encoding': 'zstd' },
    Buffer.concat([zstdCompressSync(whole.slice(0, -1)), zstdCompressSync('}')])
  ),
  'a body that is not gzip': send(200, { ...json, 'content-encoding': 'gzip' }, whole),
  'an empty stream': send(200, events),
  'a stream that is a page': send(200, events, html),
  'a stream that is a page, in several pieces': send(200, events, '<html>\n\n', '</html>\n\n'),
  'a stream with only [DONE]': send(200, events, done),
  'a stream that begins with an error': send(200, events, error, done),
  'a stream that begins with the error of vLLM': send(200, events, 'data: {"object":"error","message":"no"}\n\n', done),
  'a stream that begins with an event named error': send(200, events, namedError, done),
  'a stream that begins with an error, in pieces': send(200, events, error.slice(0, 20), error.slice(20))
}

/** Answers that another call replaces, and that are charged, because the provider produced them. */
const unfinished: Record<string, Answer> = {
  'JSON that is cut': sized('{"choices":[{"index":0,"message":{"content":"Hel'),
  'JSON that is cut, in one chunk': send(200, json, '{"choices":[{"index":0,"message":{"content":"Hel'),
  'JSON that is cut after a brace': sized('{"choices":[{"index":0,"message":{"content":"Hello"}'),
  'JSON with a brace after its end': sized('{"choices":[{"index":0,"message":{"content":"Hello"}}]}}')
}

/** Streams that break off after they have begun. */
const cut: Record<string, Answer> = {
  'without an end': send(200, events, word, word),
  'within an event': send(200, events, word, word, word.slice(0, 30)),
  'with an error': send(200, events, word, word, error),
  'with an event named error': send(200, events, word, word + namedError + finish, done),
  'with the error of Groq': send(200, events, word, word, 'data: {"x_groq":{"error":"overloaded"}}\n\n', finish + done),
  'with a list of errors': send(200, events, word, word, `data: [${error.slice(6).trim()}]\n\n`, finish + done),
  'with an error and the end': send(200, events, word, word + error + word, done),
  'with the error of OpenRouter': send(
    200,
    events,
    word,
    word,
    `data: ${JSON.stringify({ error: { code: 502 }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] })}\n\n`,
    done
  ),
  'with an empty finish reason': send(200, events, word, word, chunk({}, { finish_reason: '' })),
  'without an end, compressed': send(200, { ...events, 'content-encoding': 'gzip' }, gzipSync(word + word)),
  'within its compressed bytes': send(
    200,
    { ...events, 'content-encoding': 'gzip' },
    gzipSync(word + word).subarray(0, -9)
  )
}

/** HTTP/2 frames only the ends of answers differently. `npm run test:all` tries all other answers over HTTP/2, too. */
const endsOverHttp2 = [
  'an empty body',
  'an empty body in chunks',
  '204',
  'an error in pieces',
  'an empty stream',
  'a stream that begins with an error, in pieces',
  'JSON that is cut',
  'JSON that is cut, in one chunk',
  'within an event',
  'within its compressed bytes'
]

interface Served {
  url: string
  answer(next: Answer): void
  calls: number
  close(): Promise<void>
}

async function serve(http2: boolean): Promise<Served> {
  let answer: Answer = () => {}
  const handle = async (request: IncomingMessage | Http2ServerRequest, response: Reply) => {
    for await (const _ of request);
    served.calls++
    response.on('error', () => {})
    // These methods are the same with HTTP/2.
    answer(response as ServerResponse)
  }
  const key = readFileSync(pem)
  const sessions = new Set<{ destroy(): void }>()
  const server = http2 ? createSecureServer({ key, cert: key }, handle) : createServer(handle)
  server.on(http2 ? 'session' : 'connection', (session: { destroy(): void }) => sessions.add(session))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const served: Served = {
    url: http2 ? `https://localhost:${port}/v1` : `http://127.0.0.1:${port}/v1`,
    calls: 0,
    answer(next) {
      answer = next
    },
    async close() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    }
  }
  return served
}

for (const http2 of [false, true]) {
  t.test(http2 ? 'over HTTP/2' : 'over HTTP/1.1', async (t) => {
    const triesAll = !http2 || testsAll
    const tried = (answers: Record<string, Answer>) =>
      Object.entries(answers).filter(([name]) => triesAll || endsOverHttp2.includes(name))
    const [odd, healthy] = [await serve(http2), await serve(http2)]
    const entry = (url: string) => `{ base_url: '${url}', ${http2 ? `ca_file: '${pem}', http2: true` : ''} }`
    const gateway = await startGateway('', {
      upstreamsFile: `upstreams: { odd: ${entry(odd.url)}, healthy: ${entry(healthy.url)} }`,
      catalog: catalogOf({
        alone: [{ upstream: 'odd' }],
        both: [{ upstream: 'odd' }, { upstream: 'healthy', priority: 1 }]
      }),
      log: lines.log
    })
    t.teardown(async () => {
      await gateway.close()
      await odd.close()
      await healthy.close()
    })
    const { secret } = await gateway.seedKey()
    const ask = (model: string, stream: boolean, members = {}) => askOf(gateway, secret, model, { ...members, stream })
    const upstream = gateway.upstreams.get('odd')! as Upstream & { retries: RetryBudget }
    const { breaker } = upstream
    const recover = () => {
      upstream.retries = new RetryBudget()
      for (let call = 0; call < 40; call++) breaker.succeeded(breaker.begin(1e12), performance.now())
    }

    for (const [name, answer] of tried({ ...worthless, ...unfinished })) {
      await t.test(`${name} is a failure, and the next upstream is called`, async () => {
        for (const stream of [false, true]) {
          recover()
          let failures = 0
          breaker.failed = (...values) => {
            failures++
            Reflect.deleteProperty(breaker, 'failed')
            breaker.failed(...values)
          }
          // An empty budget prevents a retry.
          while (upstream.retries.take());
          odd.answer(answer)
          const alone = await ask('alone', stream)
          assert.equal(alone.status, 502)
          assert.equal(alone.type, 'application/json; charset=utf-8')
          assert.partialDeepStrictEqual(JSON.parse(alone.text), { error: { code: 'upstream_error' } })
          assert.partialDeepStrictEqual(alone.line, { code: 'upstream_error', status: 502 })
          if (name in worthless) assert.equal(alone.line.costNanos, 0)
          else assert.ok(alone.line.costNanos > 0 && alone.line.estimated)
          assert.equal(failures, 1, 'the breaker counts it')
          recover()
          healthy.answer(stream ? send(200, events, word, finish, usageEvent, done) : sized(whole))
          const both = await ask('both', stream)
          assert.equal(both.text, stream ? word + finish + done : whole)
          assert.partialDeepStrictEqual(both.line, {
            code: null,
            status: 200,
            upstream: 'healthy',
            costNanos: usageCost
          })
        }
      })
    }

    for (const [name, answer] of tried(cut)) {
      await t.test(`a stream that ends ${name} gets an error event, and the part that came is charged`, async () => {
        recover()
        odd.answer(answer)
        const before = healthy.calls
        const { status, text, line } = await ask('both', true)
        assert.equal(status, 200)
        assert.match(
          text,
          /^(data: {"choices":.*"Hello".*\n\n){2}(data: {"choices".*\n\n)?data: {"error":{.*"upstream_error"}}\n\n$/
        )
        assert.doesNotMatch(text, /overloaded|DONE/)
        assert.partialDeepStrictEqual(line, { code: 'upstream_error', status: 200, estimated: true })
        assert.equal(line.completionTokens, 'HelloHello'.length + 3 + tokensInTransit)
        assert.equal(healthy.calls, before)
      })
    }

    t.test('if a body breaks off after the client got a part, the connection closes', async () => {
      recover()
      const begun = Promise.withResolvers<void>()
      odd.answer(async (response) => {
        response.writeHead(200, json)
        // Far more than the gateway holds back, however the system cuts the bytes into pieces.
        response.write(`{"choices":[{"index":0,"message":{"content":"${'x'.repeat(600_000)}`)
        await begun.promise
        response.end('"Hello"}}')
      })
      const response = await post(gateway, secret, '/chat/completions', chatOf('both'))
      begun.resolve()
      await assert.rejects(response.text())
      assert.partialDeepStrictEqual(await lines.of(response.headers.get('x-request-id')), {
        code: 'upstream_error',
        status: 200,
        estimated: true
      })
    })

    t.test('if a body breaks off while it waits for its cost, another upstream answers', async () => {
      recover()
      odd.answer(send(200, json, '{"choices":[{"index":0,', '"message":{"content":', '"Hello"}}'))
      healthy.answer(sized(whole))
      const { status, text } = await ask('both', false)
      assert.equal(status, 200)
      assert.equal(JSON.parse(text).usage.completion_tokens, 7)
    })

    if (!triesAll) return
    t.test('after a body instead of a stream, or a stream instead of a body, the next upstream is called', async () => {
      const stream = word + word + finish + usageEvent + done
      for (const [asksForStream, answer, cost] of [
        [true, sized(whole), { costNanos: usageCost, estimated: false }],
        [true, send(200, json, ...whole.match(/.{1,40}/gs)!), { costNanos: usageCost, estimated: false }],
        [true, sized(plainAnswer), { completionTokens: 0, estimated: true }],
        [false, send(200, events, stream), { costNanos: usageCost, estimated: false }],
        [false, send(200, events, word), { completionTokens: 'Hello'.length + 3 + tokensInTransit }],
        [false, send(200, events, ': waiting\n\n'), { costNanos: 0 }]
      ] as const) {
        recover()
        odd.answer(answer)
        const before = odd.calls
        const alone = await ask('alone', asksForStream)
        assert.equal(alone.status, 502)
        assert.partialDeepStrictEqual(JSON.parse(alone.text), { error: { code: 'upstream_error' } })
        assert.partialDeepStrictEqual(alone.line, { code: 'upstream_error', status: 502, ...cost })
        if (alone.line.costNanos > 0)
          assert.equal(odd.calls, before + 1, 'a provider that bills the answer is not called again')
        recover()
        healthy.answer(asksForStream ? send(200, events, word, finish, usageEvent, done) : sized(whole))
        const both = await ask('both', asksForStream)
        assert.equal(both.text, asksForStream ? word + finish + done : whole)
        assert.partialDeepStrictEqual(both.line, { code: null, upstream: 'healthy', costNanos: usageCost })
      }
    })

    t.test('a stream of several answers is complete once each has a finish reason', async () => {
      const end = (index: number) => chunk({}, { index, finish_reason: 'stop' })
      for (const [text, code] of [
        [word + end(0), 'upstream_error'],
        [word + end(0) + end(0), 'upstream_error'],
        [word + end(0) + chunk({ content: 'x' }, { index: 1 }) + end(1), null],
        [word + end(1) + end(0), null],
        [word + end(0) + done, null],
        [word + end(0) + usageEvent, null]
      ] as const) {
        recover()
        odd.answer(send(200, events, ...text.match(/.{1,50}/gs)!))
        assert.partialDeepStrictEqual((await ask('alone', true, { n: 2 })).line, { status: 200, code })
      }
    })

    t.test('an answer is whole with each of the ends that providers use', async () => {
      recover()
      for (const [stream, text] of [
        [true, word + done],
        [true, word + finish],
        [true, `${word}${finish.trimEnd()}`],
        [true, `: waiting\n\n${word}${finish}`],
        [true, `data:${chunk({ content: 'x' }, { finish_reason: 'length' }).slice(6)}`],
        [false, ` \n${whole}\n `],
        [false, JSON.stringify({ error: null, id: 'x"{[', choices: [{ a: '"\\' }] }, null, 2)]
      ] as const) {
        for (const pieces of [[text], text.match(/.{1,9}/gs)!]) {
          odd.answer(send(200, text.includes('data:') ? events : json, ...pieces))
          const { status, text: got, line } = await ask('alone', stream)
          assert.equal(status, 200)
          assert.equal(got, text)
          assert.equal(line.code, null)
        }
      }
    })

    t.test('only the outer member usage of a single body counts, wherever it is', async () => {
      recover()
      const other = { prompt_tokens: 1, completion_tokens: 1 }
      const choices = [{ index: 0, message: { content: 'Hi', parsed: { usage: other } }, usage: other, error: null }]
      const breakdown = { models: [{ usage: other }] }
      for (const text of [
        JSON.stringify({ choices, usage, usage_breakdown: breakdown }),
        JSON.stringify({ usage, usage_breakdown: breakdown, choices, error: '' }),
        JSON.stringify({ x: { usage: other }, choices, usage, x_groq: { usage: other } }, null, 1)
      ]) {
        for (const answer of [sized(text), send(200, json, ...text.match(/.{1,9}/gs)!)]) {
          odd.answer(answer)
          const { text: got, line } = await ask('alone', false)
          assert.equal(got, text)
          assert.partialDeepStrictEqual(line, { code: null, costNanos: usageCost, estimated: false })
        }
      }
      odd.answer(sized(JSON.stringify({ choices, usage_breakdown: breakdown })))
      assert.partialDeepStrictEqual((await ask('alone', false)).line, { code: null, estimated: true })
    })

    t.test('an answer without choices that reports usage is passed on, and costs what it reports', async () => {
      recover()
      const filtered = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }
      for (const choices of [[], null, undefined]) {
        for (const [counts, costNanos] of [
          [usage, usageCost],
          [filtered, Math.ceil((10 * inputPicos) / 1000)]
        ] as const) {
          const text = JSON.stringify({ object: 'chat.completion', choices, usage: counts })
          for (const answer of [sized(text), send(200, json, ...text.match(/.{1,9}/gs)!)]) {
            odd.answer(answer)
            const { calls } = odd
            const { status, text: got, line } = await ask('alone', false)
            assert.deepEqual([status, got, odd.calls], [200, text, calls + 1])
            assert.partialDeepStrictEqual(line, { code: null, costNanos })
          }
        }
      }
    })

    t.test('words after the last usage are estimated; usage in each event is exact', async () => {
      recover()
      const usages = (tokens: number) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello' } }], usage: { prompt_tokens: 11, completion_tokens: tokens } })}\n\n`
      for (const [text, completionTokens, estimated] of [
        [word + usageEvent + word + word + word + finish + done, 'Hello'.length * 4 + 3, true],
        [usages(1) + word + word + finish + done, 'Hello'.length * 3 + 3, true],
        [usages(1) + usages(2) + usages(3) + finish + chunk({ role: 'assistant', content: '' }) + done, 3, false],
        [usages(5) + usages(1) + finish + done, 5, false],
        [usages(1) + word + usages(0) + finish + done, 'Hello'.length * 3 + 3, true]
      ] as const) {
        for (const pieces of [[text], text.match(/.{1,50}/gs)!]) {
          odd.answer(send(200, events, ...pieces))
          assert.partialDeepStrictEqual((await ask('alone', true)).line, {
            code: null,
            promptTokens: 11,
            completionTokens,
            estimated
          })
        }
      }
    })

    t.test('an unrequested compression is decoded, and the reported usage is charged', async () => {
      recover()
      for (const [encoding, compress] of [
        ['gzip', gzipSync],
        ['X-GZip', gzipSync],
        ['deflate', deflateSync],
        ['br', brotliCompressSync]
      ] as const) {
        for (const stream of [false, true]) {
          const long = chunk({ content: 'word '.repeat(50_000) })
          const text = stream
            ? word + long + finish + usageEvent + done
            : whole.replace('Hello', 'Hello '.repeat(50_000))
          const bytes: Buffer = compress(Buffer.from(text))
          const parts = [bytes.subarray(0, 30), bytes.subarray(30)]
          odd.answer(send(200, { ...(stream ? events : json), 'content-encoding': encoding }, ...parts))
          const { status, encoding: sentEncoding, text: got, line } = await ask('alone', stream)
          assert.equal(status, 200)
          assert.equal(sentEncoding, null)
          assert.ok(got === text.replace(usageEvent, ''), encoding)
          assert.partialDeepStrictEqual(line, { code: null, costNanos: usageCost, estimated: false })
        }
      }
    })
  })
}

async function askOf(gateway: TestGateway, secret: string, model: string, members: object) {
  const response = await post(gateway, secret, '/chat/completions', chatOf(model, members))
  const text = await response.text().catch(() => 'broken')
  const { status, headers } = response
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  const line = await lines.of(headers.get('x-request-id'))
  return { status, text, type: headers.get('content-type'), encoding: headers.get('content-encoding'), line }
}
