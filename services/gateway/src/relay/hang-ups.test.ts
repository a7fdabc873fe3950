import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import t from 'tap'
import { chatOf, post } from '../testing/client.ts'
import { cutCatalog, cutUpstreams, done, usageEvent, word } from '../testing/cut-streams.ts'
import { type FakeUpstream, type Received, startFakeUpstream } from '../testing/fake-upstream.ts'
import { collectLogLines, type RequestLine } from '../testing/log-lines.ts'
import { type GatewayOptions, startGateway, type TestGateway, testCatalog } from '../testing/start-gateway.ts'
import { tokensInTransit } from '../tokens/received-text.ts'

const { inputPicos, outputPicos } = testCatalog.models.small!.prices
const lines = collectLogLines()
let upstream: FakeUpstream
t.before(async () => {
  upstream = await startFakeUpstream()
})
t.teardown(() => upstream.close())

interface Started extends TestGateway {
  secret: string
  /** The connection of the latest request. */
  latest: Socket | null
}
interface Tap {
  teardown(run: () => Promise<void>): void
}

async function start(t: Tap, protection: GatewayOptions['protection'] = {}, timeouts = '{}'): Promise<Started> {
  const upstreamsFile = cutUpstreams(upstream.url, timeouts)
  const gateway = await startGateway(upstream.url, { catalog: cutCatalog, upstreamsFile, log: lines.log, protection })
  t.teardown(() => gateway.close())
  const started: Started = Object.assign(gateway, { secret: (await gateway.seedKey()).secret, latest: null })
  gateway.server.prependListener('request', ({ socket }: IncomingMessage) => {
    started.latest = socket
  })
  return started
}

const maxTokens = 500
const bodyOf = (model: string, stream: boolean) => chatOf(model, { max_tokens: maxTokens, stream })
/** The amount that admission reserves for such a request. */
function holdNanos(model: string, stream: boolean): number {
  const promptTokens = JSON.stringify(bodyOf(model, stream)).length + 8
  return Math.ceil((promptTokens * inputPicos + maxTokens * outputPicos) / 1000)
}
const costNanos = (prompt: number, completion: number) =>
  Math.ceil((prompt * inputPicos + completion * outputPicos) / 1000)

const usageOf = (prompt: unknown, completion: unknown) => ({ prompt_tokens: prompt, completion_tokens: completion })
const begin = ({ response }: Received) => response.writeHead(200, { 'content-type': 'text/event-stream' })

/** Requests a stream and hangs up, once the upstream has the request and the client has so many bytes. */
async function leave(gateway: Started, model: string, afterBytes: number): Promise<Received> {
  const before = upstream.received.length
  const leaving = new AbortController()
  const answering = post(gateway, gateway.secret, '/chat/completions', bodyOf(model, true), { signal: leaving.signal })
  answering.catch(() => {})
  while (upstream.received.length === before) await new Promise(setImmediate)
  if (afterBytes > 0) {
    const reader = (await answering).body!.getReader()
    for (let read = 0; read < afterBytes; ) read += (await reader.read()).value!.length
  }
  const closed = once(gateway.latest!, 'close')
  leaving.abort()
  await closed
  return upstream.received.at(-1)!
}

const lineOf = ({ request }: Received): Promise<RequestLine> => lines.of(request.headers['x-request-id'] as string)

t.test('after its client left, a stream with hidden output is read to its end and charged its usage', async (t) => {
  const gateway = await start(t)
  for (const model of ['thinking', 'billed']) {
    for (const beganBefore of [false, true]) {
      if (beganBefore) upstream.answer((received) => void begin(received).write(word('one')))
      else upstream.answer(() => {})
      const received = await leave(gateway, model, beganBefore ? 10 : 0)
      // The gateway has noticed by now that the client left.
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
      assert.ok(!received.response.destroyed, 'the call goes on')
      if (!beganBefore) begin(received)
      received.response.end(word('two') + usageEvent(usageOf(12, 340)) + done)
      assert.partialDeepStrictEqual(await lineOf(received), {
        promptTokens: 12,
        completionTokens: 340,
        estimated: false,
        clientGone: true,
        code: null,
        costNanos: costNanos(12, 340)
      })
    }
  }
})

t.test('without usage, or with too many abandoned streams, the reservation is charged', async (t) => {
  const gateway = await start(t)
  for (const end of [
    ({ response }: Received) => response.end(word('two') + done),
    ({ response }: Received) => response.end(),
    ({ response }: Received) => void response.destroy()
  ]) {
    upstream.answer((received) => void begin(received).write(word('one')))
    const received = await leave(gateway, 'thinking', 10)
    end(received)
    assert.partialDeepStrictEqual(await lineOf(received), {
      estimated: true,
      costNanos: holdNanos('thinking', true),
      code: null
    })
  }
  const none = await start(t, { maxAbandonedStreams: 0 })
  upstream.answer((received) => void begin(received).write(word('one')))
  const cut = await leave(none, 'thinking', 10)
  assert.partialDeepStrictEqual(await lineOf(cut), {
    estimated: true,
    costNanos: holdNanos('thinking', true),
    completionTokens: maxTokens
  })
  if (!cut.response.destroyed) await once(cut.response, 'close')

  const one = await start(t, { maxAbandonedStreams: 1 })
  for (let round = 0; round < 3; round++) {
    const first = await leave(one, 'thinking', 10)
    const second = await leave(one, 'thinking', 10)
    assert.partialDeepStrictEqual(await lineOf(second), { costNanos: holdNanos('thinking', true) })
    first.response.end(usageEvent(usageOf(5, 6)) + done)
    assert.partialDeepStrictEqual(await lineOf(first), { costNanos: costNanos(5, 6) }, 'and another stream can be read')
  }
})

t.test('other streams are aborted, and charged what came, even if the client did not get it', async (t) => {
  const gateway = await start(t)
  upstream.answer(() => {})
  const early = await leave(gateway, 'open', 0)
  const before = await lineOf(early)
  assert.partialDeepStrictEqual(before, { estimated: true, status: 499, completionTokens: tokensInTransit })
  assert.ok(before.promptTokens >= 8 && before.promptTokens < 120)

  const text = 'All of these words are on their way. '.repeat(10)
  upstream.answer((received) => {
    begin(received).write(word('one'))
    // The upstream sends them after the gateway closed its side, and before the connection is closed.
    received.request.socket.prependOnceListener('end', () => received.response.write(word(text) + word('and more')))
  })
  const received = await leave(gateway, 'open', 10)
  const line = await lineOf(received)
  assert.ok(received.response.destroyed || (await once(received.response, 'close')), 'the upstream notices')
  const produced = countTokens(`one${text}and more`)
  assert.ok(line.completionTokens >= produced && line.completionTokens <= produced + 3 + tokensInTransit, `${produced}`)
  assert.partialDeepStrictEqual(line, { estimated: true, clientGone: true, status: 200, code: null })

  upstream.answer((received) => {
    begin(received).write(word('one'))
    received.request.socket.prependOnceListener('end', () => received.response.write(usageEvent(usageOf(9, 3))))
  })
  assert.partialDeepStrictEqual(await lineOf(await leave(gateway, 'open', 10)), {
    promptTokens: 9,
    completionTokens: 3,
    estimated: false
  })
})

t.test('an abandoned stream is never charged more than its reservation', async (t) => {
  const gateway = await start(t)
  upstream.answer((received) => void begin(received).write(word('word '.repeat(10_000))))
  assert.partialDeepStrictEqual(await lineOf(await leave(gateway, 'open', 10)), {
    estimated: true,
    completionTokens: maxTokens
  })
})

t.test('a request that reached its deadline is charged as if its client had left', async (t) => {
  const gateway = await start(t, { maxRequestMs: 300 })
  const ask = async (model: string, stream: boolean) => {
    const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf(model, stream))
    await response.text().catch(() => {})
    return lines.of(response.headers.get('x-request-id'))
  }
  upstream.answer((received) => void begin(received).write(word('one two three')))
  const open = await ask('open', true)
  assert.partialDeepStrictEqual(open, { code: 'upstream_timeout', status: 200, estimated: true, clientGone: false })
  assert.equal(open.completionTokens, 3 + 3 + tokensInTransit)
  for (const model of ['thinking', 'billed']) {
    assert.partialDeepStrictEqual(await ask(model, true), {
      code: 'upstream_timeout',
      costNanos: holdNanos(model, true)
    })
  }
  upstream.answer(() => {})
  assert.partialDeepStrictEqual(await ask('open', true), {
    code: 'upstream_timeout',
    status: 504,
    completionTokens: tokensInTransit
  })
  assert.partialDeepStrictEqual(await ask('open', false), {
    code: 'upstream_timeout',
    status: 504,
    costNanos: holdNanos('open', false)
  })
})

t.test(
  'after an upstream timed out, the reservation is charged, because the upstream may bill the request',
  async (t) => {
    const gateway = await start(t, {}, '{ connect: 1000, first_byte: 100, between_chunks: 100 }')
    upstream.answer(() => {})
    for (const [model, stream, cost] of [
      ['open', false, holdNanos('open', false)],
      ['thinking', true, holdNanos('thinking', true)]
    ] as const) {
      const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf(model, stream))
      await response.text()
      assert.partialDeepStrictEqual(await lines.of(response.headers.get('x-request-id')), {
        code: 'upstream_timeout',
        costNanos: cost
      })
    }
  }
)

t.test('an incomplete single body is charged its usage, an estimate by its length, or its reservation', async (t) => {
  const gateway = await start(t)
  const whole = JSON.stringify({
    choices: [{ message: { content: 'one two' } }],
    usage: usageOf(11, 7),
    x: 'x'.repeat(40)
  })
  const usageEnd = whole.indexOf(',"x"')
  const ask = async (model: string, length: number, hasLength: boolean) => {
    upstream.answer(({ response }) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(hasLength && { 'content-length': whole.length })
      })
      response.write(whole.slice(0, length), () => response.destroy())
    })
    const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf(model, false))
    await response.text().catch(() => {})
    // Without a success, the breaker would open.
    gateway.upstreams.get('test')!.breaker.succeeded(false, performance.now())
    return lines.of(response.headers.get('x-request-id'))
  }
  for (const model of ['open', 'thinking']) {
    for (const hasLength of [true, false]) {
      const reported = { costNanos: costNanos(11, 7), estimated: false, code: 'upstream_error' }
      assert.partialDeepStrictEqual(await ask(model, usageEnd, hasLength), reported)
    }
    assert.partialDeepStrictEqual(await ask(model, 20, false), { costNanos: holdNanos(model, false), estimated: true })
  }
  const known = await ask('open', 20, true)
  assert.partialDeepStrictEqual(known, { completionTokens: whole.length + 3 + tokensInTransit, estimated: true })
  assert.partialDeepStrictEqual(await ask('thinking', 20, true), { costNanos: holdNanos('thinking', false) })
})

t.test('a single body that breaks off before its first byte is charged if it has a length', async (t) => {
  const gateway = await start(t)
  const ask = async (length: number | null) => {
    let calls = 0
    upstream.answer(({ response }) => {
      calls++
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(length !== null && { 'content-length': length })
      })
      response.flushHeaders()
      response.socket!.write('', () => response.destroy())
    })
    const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf('open', false))
    await response.text().catch(() => {})
    gateway.upstreams.get('test')!.breaker.succeeded(false, performance.now())
    return { calls, ...(await lines.of(response.headers.get('x-request-id'))) }
  }
  const expected = {
    calls: 1,
    code: 'upstream_error',
    status: 502,
    completionTokens: 60 + 3 + tokensInTransit,
    estimated: true
  }
  assert.partialDeepStrictEqual(await ask(60), expected)
  const { calls, ...line } = await ask(null)
  assert.ok(calls > 1, 'another call follows')
  assert.partialDeepStrictEqual(line, { status: 502, costNanos: 0 })
})

t.test('a number of tokens counts as missing unless it is a whole number of at least 0', async (t) => {
  const gateway = await start(t)
  const ask = async (model: string, stream: boolean, usage: unknown, words = 'one two three') => {
    upstream.answer((received) => {
      if (stream) begin(received).end(word(words) + usageEvent(usage as object) + done)
      else {
        received.response.setHeader('content-type', 'application/json')
        received.response.end(JSON.stringify({ choices: [{ message: { content: words } }], usage }))
      }
    })
    const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf(model, stream))
    await response.text()
    return lines.of(response.headers.get('x-request-id'))
  }
  for (const stream of [false, true]) {
    for (const odd of [undefined, null, '3', 2.5, -3, 0]) {
      const usage = { promptTokens: 11, completionTokens: 3 + 3, estimated: true }
      assert.partialDeepStrictEqual(await ask('open', stream, usageOf(11, odd)), usage, `${stream} ${odd}`)
      assert.partialDeepStrictEqual(await ask('thinking', stream, usageOf(11, odd)), {
        completionTokens: maxTokens,
        estimated: true
      })
      const { promptTokens, ...rest } = await ask('open', stream, usageOf(odd, 5))
      assert.partialDeepStrictEqual(rest, { completionTokens: 5, estimated: true })
      assert.ok(promptTokens >= 8 && promptTokens < 120)
    }
    for (const usage of [null, 3, [], usageOf(0, 0), {}]) {
      assert.partialDeepStrictEqual(
        await ask('open', stream, usage),
        { completionTokens: 6, estimated: true },
        JSON.stringify(usage)
      )
      assert.partialDeepStrictEqual(await ask('thinking', stream, usage), {
        completionTokens: maxTokens,
        estimated: true
      })
    }
    const empty = { promptTokens: 11, completionTokens: 0, estimated: false }
    assert.partialDeepStrictEqual(
      await ask('thinking', stream, usageOf(11, 0), ''),
      empty,
      'an answer without words has no output tokens'
    )
    const outside = { ...usageOf(11, 5), total_tokens: 116 }
    assert.partialDeepStrictEqual(await ask('open', stream, outside), { completionTokens: 105, estimated: false })
  }
})

t.test('the usage of Groq is found; if several events have usage, the last counts', async (t) => {
  const gateway = await start(t)
  const ask = async (events: string) => {
    upstream.answer((received) => void begin(received).end(events))
    const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf('open', true))
    assert.equal(await response.text(), events)
    return lines.of(response.headers.get('x-request-id'))
  }
  const groq = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { id: 'x', usage: usageOf(8, 9) } }
  assert.partialDeepStrictEqual(await ask(`${word('one')}data: ${JSON.stringify(groq)}\n\n${done}`), {
    completionTokens: 9,
    estimated: false
  })
  const each = (content: string, completion: number) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], usage: usageOf(8, completion) })}\n\n`
  assert.partialDeepStrictEqual(await ask(each('one', 1) + each('two', 4) + done), {
    completionTokens: 4,
    estimated: false
  })

  upstream.answer((received) => void begin(received).write(each('one two three', 1)))
  const left = await lineOf(await leave(gateway, 'open', 10))
  assert.partialDeepStrictEqual(left, { promptTokens: 8, completionTokens: 3 + 3 + tokensInTransit, estimated: true })
})

t.test('answers that came while the gateway was suspended are read before their deadline counts', async (t) => {
  for (const protection of [{ maxRequestMs: 1000 }, {}]) {
    const timeouts = 'maxRequestMs' in protection ? '{}' : '{ connect: 1000, first_byte: 500, between_chunks: 500 }'
    const gateway = await start(t, protection, timeouts)
    for (const stream of [false, true]) {
      upstream.answer((received) => {
        const { response } = received
        if (stream) begin(received).write(word('one'))
        setImmediate(() => {
          response.end(
            stream ? usageEvent(usageOf(3, 4)) + done : JSON.stringify({ choices: [{}], usage: usageOf(3, 4) })
          )
          // Blocks this process for longer than any request may take.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
        })
      })
      const response = await post(gateway, gateway.secret, '/chat/completions', bodyOf('thinking', stream))
      await response.text()
      assert.partialDeepStrictEqual(await lines.of(response.headers.get('x-request-id')), {
        status: 200,
        code: null,
        completionTokens: 4
      })
    }
  }
})
