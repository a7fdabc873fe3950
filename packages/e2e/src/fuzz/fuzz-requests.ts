import type { Socket } from 'node:net'
import { rawConnection } from '@tollgate/gateway/testing/client.ts'
import { startFakeUpstream } from '@tollgate/gateway/testing/fake-upstream.ts'
import { cut, cuts, mutate, mutations } from '@tollgate/gateway/testing/mutations.ts'
import { startGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import fc from 'fast-check'
import { checkFailure, headersOf, isShortAnswer, shortAnswer, speaksAll } from './all-apis.ts'
import { withLeakCheck } from './loop-watch.ts'
import { readAnswers } from './read-answers.ts'

const hangMs = 10_000

/** Follows each request, and ends its connection. */
const last = 'GET /v1/nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

const message = fc.record({
  role: fc.constantFrom('user', 'system', 'tool'),
  content: fc.oneof(fc.string(), fc.jsonValue())
})
/** A part of a message. Some are valid. */
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'input_text'), text: fc.string() }),
  fc.record({ type: fc.string(), text: fc.jsonValue(), cache_control: fc.jsonValue() })
)
const item = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(fc.string(), fc.array(part, { maxLength: 2 })) }),
  fc.record({ type: fc.constantFrom('item_reference', 'reasoning', 'function_call'), id: fc.string() }),
  fc.jsonValue()
)
const blocks = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.oneof(fc.string(), fc.array(part)) })
const tool = fc.record(
  { type: fc.constantFrom('function', 'custom', 'web_search', null), name: fc.string(), parameters: fc.jsonValue() },
  { requiredKeys: [] }
)
const body = fc.oneof(
  fc.record({ model: fc.constant('small'), messages: fc.array(message, { minLength: 1, maxLength: 3 }) }),
  fc.record(
    {
      model: fc.constantFrom('small', 'large', 'none'),
      messages: fc.jsonValue(),
      stream: fc.jsonValue(),
      stream_options: fc.jsonValue()
    },
    { requiredKeys: ['model'] }
  ),
  fc.record({
    model: fc.constant('embedder'),
    input: fc.oneof(fc.array(fc.string()), fc.array(fc.array(fc.nat())), fc.jsonValue())
  }),
  fc.record({ model: fc.constant('writer'), prompt: fc.oneof(fc.string(), fc.jsonValue()), stream: fc.boolean() }),
  fc.record(
    {
      model: fc.constantFrom('small', 'none'),
      input: fc.oneof(fc.string(), fc.array(item, { maxLength: 3 }), fc.jsonValue()),
      tools: fc.oneof(fc.array(tool, { maxLength: 2 }), fc.jsonValue()),
      stream: fc.boolean(),
      store: fc.jsonValue(),
      previous_response_id: fc.constantFrom(null, '', 'resp_1', '../x', 1)
    },
    { requiredKeys: ['model', 'input'] }
  ),
  fc.record(
    {
      model: fc.constantFrom('small', 'none'),
      max_tokens: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 100 }) }, fc.jsonValue()),
      messages: fc.oneof(fc.array(blocks, { minLength: 1, maxLength: 3 }), fc.jsonValue()),
      system: fc.oneof(fc.string(), fc.jsonValue()),
      tools: fc.oneof(fc.array(tool, { maxLength: 2 }), fc.jsonValue()),
      thinking: fc.jsonValue(),
      stream: fc.boolean()
    },
    { requiredKeys: ['model', 'max_tokens', 'messages'] }
  ),
  fc.jsonValue()
)
const target = fc.constantFrom(
  'POST /v1/chat/completions',
  'POST /v1/chat/completions',
  'POST /v1/completions',
  'POST /v1/embeddings',
  'POST /v1/responses',
  'POST /v1/responses',
  'POST /v1/responses/input_tokens',
  'GET /v1/responses/resp_1',
  'DELETE /v1/responses/..%2fmodels',
  'GET /v1/responses/resp_1/input_items',
  'POST /v1/messages',
  'POST /v1/messages',
  'POST /v1/messages/count_tokens',
  'GET /v1/models',
  'GET /v1/models/small',
  'GET /v1/key',
  'GET /v1/credits',
  'OPTIONS /v1/embeddings',
  'PUT /v1/chat/completions'
)
const request = fc.record({
  target,
  body: body.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
  isChunked: fc.boolean(),
  changes: mutations,
  changesBody: fc.boolean(),
  cuts,
  isRepeated: fc.boolean()
})

/**
 * Sends mutated requests to a gateway, as bytes on connections. Every answer must be valid HTTP: an error in the error
 * shape, or the upstream's answer. The upstream must get only valid requests, with the gateway's credential.
 *
 * @returns how many answers there were, by status
 * @throws the first violation, with its request shrunk to the smallest form
 */
export async function fuzzRequests(runs: number, seed: number): Promise<Map<number, number>> {
  const upstream = await startFakeUpstream()
  const unexpected: string[] = []
  upstream.answer(({ request, response, body }) => {
    if (request.headers.authorization !== 'Bearer upstream-credential')
      unexpected.push('the upstream got another credential')
    upstream.received.length = 0
    // Once a response is stored, its account may read it.
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(shortAnswer('/responses', false))
      return
    }
    const { model, stream } = JSON.parse(body) as { model: string; stream?: unknown }
    if (!['small', 'embedder', 'writer'].includes(model)) unexpected.push(`the upstream got the model ${model}`)
    response.writeHead(200, { 'content-type': stream === true ? 'text/event-stream' : 'application/json' })
    response.end(shortAnswer(request.url!, stream === true))
  })
  // Incomplete requests are refused soon.
  const protection = { failuresPerMinute: 1e9, headersTimeoutMs: 100, requestTimeoutMs: 100 }
  const gateway = await startGateway(upstream.url, { protection, upstreamsFile: speaksAll(upstream.url) })
  // If the declared body is longer than the sent one, it includes the last request, which then does not end the
  // connection.
  gateway.server.keepAliveTimeout = 100
  const { secret } = await gateway.seedKey()
  const statuses = new Map<number, number>()

  const property = fc.asyncProperty(request, async (one) => {
    const content = one.changesBody ? mutate(one.body, one.changes) : one.body
    const framed = one.isChunked
      ? [`transfer-encoding: chunked\r\n\r\n${content.length.toString(16)}\r\n`, content, '\r\n0\r\n\r\n']
      : [`content-length: ${content.length}\r\n\r\n`, content]
    const further = Object.entries(headersOf(one.target))
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const head = `${one.target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\n${further}`
    const whole = Buffer.concat([head, ...framed].map((part) => Buffer.from(part)))
    const sent = one.changesBody ? whole : mutate(whole, one.changes)
    const socket = rawConnection(gateway)
    const answers = received(socket)
    for (const piece of cut(one.isRepeated ? Buffer.concat([sent, sent]) : sent, one.cuts)) {
      socket.write(piece)
      await new Promise(setImmediate)
    }
    socket.write(last)
    for (const { status, headers, body } of readAnswers(await answers)) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 400) checkFailure(status, body)
      else if (status !== 204 && !isShortAnswer(body) && !/^{"(id|object|openapi|data)":/.test(body)) {
        throw new Error(`an unexpected answer: ${body}`)
      }
      if (status !== 204 && !headers['x-request-id']?.startsWith('req_')) throw new Error('no request id')
    }
    if (unexpected.length > 0) throw new Error(unexpected.join())
  })
  try {
    await withLeakCheck(gateway, () => fc.assert(property, { numRuns: runs, seed, endOnFailure: false }))
  } finally {
    await gateway.close()
    await upstream.close()
  }
  return statuses
}

/** Reads a connection to its end. @returns no bytes if it was reset @throws Error if it does not end */
async function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.setTimeout(hangMs, () => socket.destroy(new Error('the gateway hangs')))
  try {
    for await (const chunk of socket) chunks.push(chunk)
  } catch (error) {
    // Bytes behind a refused request make the operating system reset the connection and drop the received bytes.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ECONNRESET' && code !== 'EPIPE') throw error
    return Buffer.alloc(0)
  }
  return Buffer.concat(chunks)
}
