import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import t from 'tap'
import { listFormat } from '../apis/chat/list-format.ts'
import { chatOf, post } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { Breaker } from '../upstreams/breaker.ts'
import { Pauses } from '../upstreams/pauses.ts'
import { RetryBudget } from '../upstreams/retry-budget.ts'
import type { AnswerHandler, AnswerHead, CallController } from '../upstreams/upstream-pool.ts'
import { AbandonedStreams } from './abandoned-streams.ts'
import { Deadlines } from './deadlines.ts'
import { relay } from './relay.ts'
import { SlowReaders } from './slow-readers.ts'

/** Lengths of each answer's pieces: parts of events, short events and long events. */
const pieces = [1, 90, 4000, 9000, 70_000, 20, 200_000, 500]

t.test('answers are never mixed, although all connections share one read buffer', async () => {
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  const { secret } = await gateway.seedKey()
  const all = 24
  const begun: Array<() => void> = []
  upstream.answer(async ({ response, body }) => {
    const { user: letter, seed } = JSON.parse(body) as { user: string; seed: number }
    const [status, type] = kinds[seed % kinds.length]!
    response.writeHead(status, { 'content-type': type })
    response.flushHeaders()
    // All answers write in turn, so their reads alternate.
    await new Promise<void>((resolve) => {
      begun.push(resolve)
      if (begun.length === all) for (const begin of begun) begin()
    })
    for (const piece of seed % kinds.length === 2 ? refusal(letter) : written(letter, type)) {
      if (!response.write(piece)) await once(response, 'drain')
      await new Promise(setImmediate)
    }
    response.end()
  })
  const calls = Array.from({ length: all }, async (_, seed) => {
    const letter = String.fromCharCode(97 + seed)
    const [status, type] = kinds[seed % kinds.length]!
    const answer = await post(
      gateway,
      secret,
      '/chat/completions',
      chatOf('small', { user: letter, seed, stream: type === 'text/event-stream' })
    )
    assert.equal(answer.status, status)
    if (status === 200) {
      const got: Buffer[] = []
      for await (const part of answer.body!) {
        got.push(Buffer.from(part))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      assert.ok(Buffer.concat(got).toString() === written(letter, type).join(''), `${letter}: ${type}`)
    } else {
      assert.equal(((await answer.json()) as { error: { message: string } }).error.message, letter.repeat(9000))
    }
  })
  await Promise.all(calls)
  await gateway.close()
  await upstream.close()
})

const kinds = [
  [200, 'application/json'],
  [200, 'text/event-stream'],
  [400, 'application/json']
] as const

function written(letter: string, type: string): string[] {
  if (type === 'application/json') {
    return ['{"choices":[{"text":"', ...pieces.map((length) => letter.repeat(length)), '"}]}']
  }
  // Pieces and events end at different places.
  const events = pieces.map((length, index) => `${letter.repeat(length)}"}\n\ndata: {"${index}":"`)
  return ['data: {"":"', ...events, '"}\n\ndata: [DONE]\n\n']
}

function refusal(letter: string): string[] {
  return ['{"error":{"message":"', ...Array.from({ length: 90 }, () => letter.repeat(100)), '"}}']
}

t.test('the pool may overwrite bytes as soon as the relay has read them', async () => {
  for (const [status, head, parts] of [
    [200, { contentLength: 9020 }, [`{"choices":[{"":"${'x'.repeat(8999)}"}]}`]],
    [200, { contentLength: 9120 }, [`{"choices":[{"":"${'x'.repeat(8999)}`, `${'y'.repeat(100)}"}]}`]],
    [200, {}, ['{"id":"x"', `,"choices":[{"":"${'y'.repeat(9000)}`, '"}]}']],
    [
      200,
      { contentType: 'text/event-stream' },
      ['data: {"a', '":1}\n', '\ndata: {}\n\n', `data: ${'x'.repeat(9000)}\n\n`, 'data: [DONE]\n\n']
    ],
    [400, {}, ['{"error":{"message":', '"no"}}']]
  ] as Array<[number, Partial<AnswerHead>, string[]]>) {
    const got = await relayAnswer((handler) => {
      handler.onRequestStart(controller)
      handler.onResponseStart(controller, status, { ...emptyHead, ...head })
      for (const part of parts) {
        const bytes = Buffer.from(part)
        handler.onResponseData(controller, bytes)
        bytes.fill('#')
      }
      handler.onResponseEnd(controller)
    }, head.contentType !== undefined)
    if (status === 200) assert.ok(got === parts.join(''), JSON.stringify(head))
    else assert.partialDeepStrictEqual(JSON.parse(got), { error: { message: 'no' } })
  }
})

t.test('a client gets the head of a stream after 10 s, even without an event', async () => {
  const got = await relayAnswer((handler) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    handler.onRequestStart(controller)
    handler.onResponseStart(controller, 200, { ...emptyHead, contentType: 'text/event-stream' })
    mock.timers.tick(10_000)
    handler.onResponseEnd(controller)
    mock.timers.reset()
  }, true)
  assert.match(got, /^data: {"error":{.*"upstream_error"}}\n\n$/)
})

const controller: CallController = { abort() {}, leave() {}, pause() {}, resume() {} }
const emptyHead: AnswerHead = {
  contentType: undefined,
  contentEncoding: undefined,
  retryAfter: undefined,
  retryAfterMs: undefined,
  contentLength: -1
}

/** Answers a client like this. All bytes are written before the first one leaves. @returns the client's text */
async function relayAnswer(answer: (handler: AnswerHandler) => void, isStream: boolean): Promise<string> {
  const server = createServer((_request, response) => {
    const { socket } = response
    socket!.cork()
    relayTo(response, answer, isStream)
    setImmediate(() => socket!.uncork())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const got = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const text = await got.text()
  server.closeAllConnections()
  server.close()
  return text
}

function relayTo(response: ServerResponse, answer: (handler: AnswerHandler) => void, isStream: boolean): void {
  const pool = {
    underWay: 0,
    dispatch: (_: unknown, handler: AnswerHandler) => answer(handler),
    close: async () => {},
    destroy: async () => {}
  }
  const upstream = {
    name: 'test',
    pool,
    credential: null,
    http2: false,
    models: { url: new URL('http://127.0.0.1'), headers: {}, ca: undefined, credentialName: null },
    abortStopsBilling: true,
    speaks: new Set(['chat'] as const),
    choosesTier: false,
    acceptsIncludeUsage: true,
    reportsUsageByEvent: false,
    counter: null,
    baseUrl: new URL('http://127.0.0.1'),
    furtherMembers: null,
    betas: new Set<string>(),
    breaker: new Breaker(),
    retries: new RetryBudget(),
    pauses: new Pauses()
  }
  relay({
    upstreams: new Map([['test', upstream]]),
    route: [{ upstream: 'test', model: 'small', priority: 0, weight: 1 }],
    path: '/chat/completions',
    body: Buffer.from('{"model":"small"}'),
    spans: new Map(),
    ids: [],
    model: 'small',
    isStream,
    streamOptions: null,
    includesUsage: null,
    toolLimit: null,
    sendsStandardTier: false,
    output: null,
    asksForUsage: true,
    format: listFormat('choices', 'delta'),
    upstreamFields: [],
    answers: 1,
    requestId: 'req_1',
    key: null,
    trace: null,
    maxCalls: 3,
    response,
    fields: [],
    slowReaders: new SlowReaders(60_000),
    deadlines: new Deadlines(60_000),
    abandonedStreams: new AbandonedStreams(0),
    copy: null,
    costOf: null,
    showsCost: false,
    showsUsageCost: false,
    hidesOutput: false,
    docsUrl: null,
    isDraining: () => false,
    onFailure: () => {},
    onIssued: () => {},
    onEnd: () => {}
  })
}
