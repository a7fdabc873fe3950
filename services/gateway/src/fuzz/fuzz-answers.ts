import { type IncomingMessage, request } from 'node:http'
import { brotliCompressSync, brotliDecompressSync, deflateSync, gzipSync, unzipSync } from 'node:zlib'
import fc from 'fast-check'
import { memberOf } from '../body/member-of.ts'
import { judgeHead } from '../relay/judge-head.ts'
import { chatOf } from '../testing/client.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { Breaker } from '../upstreams/breaker.ts'
import { checkFailure } from './check-failure.ts'
import { cut, cuts, mutate, mutations, place } from './mutations.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { withLeakCheck } from './with-leak-check.ts'

/** What a client got: all of an answer, or its beginning. */
interface Got {
  status: number
  type: string
  sniffing: string | undefined
  /** Decoded, unless it cannot be. */
  body: Buffer
  isComplete: boolean
  isUndecodable: boolean
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const chunk = (content: string, finish: string | null = null) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }], usage: null })
const error = JSON.stringify({ error: { message: 'overloaded', code: 529 } })
const whole = fc
  .string()
  .map((content) => JSON.stringify({ object: 'chat.completion', choices: [{ message: { content } }], usage }))
const stream = fc
  .record({
    contents: fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
    end: fc.constantFrom(
      ...[
        [JSON.stringify({ choices: [], usage }), '[DONE]'],
        [chunk('', 'stop'), '[DONE]'],
        [chunk('', 'stop')],
        ['[DONE]'],
        [error, '[DONE]'],
        [error],
        []
      ]
    )
  })
  .map(({ contents, end }) =>
    [...contents.map((content) => chunk(content)), ...end].map((data) => `data: ${data}\n\n`).join('')
  )
const page = fc.constantFrom(
  '<!DOCTYPE html><html>{"choices":[{}]}</html>',
  error,
  '',
  'data: [DONE]\n\n',
  '{}',
  'null'
)
/** A text, or its beginning. */
const perhapsCut = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(texts, fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, place))
    .map(([text, share]) => text.slice(0, Math.ceil(share * text.length)))
const answer = fc.record({
  status: fc.constantFrom(
    200,
    200,
    200,
    200,
    200,
    200,
    200,
    200,
    201,
    204,
    301,
    400,
    401,
    404,
    408,
    422,
    429,
    500,
    503,
    529
  ),
  content: fc.oneof(
    { weight: 3, arbitrary: perhapsCut(whole).map((text) => ({ type: 'application/json', text })) },
    { weight: 4, arbitrary: perhapsCut(stream).map((text) => ({ type: 'text/event-stream', text })) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('text/html', 'application/json', 'text/event-stream'),
        text: page
      })
    }
  ),
  encoding: fc.constantFrom(null, null, null, null, null, null, 'gzip', 'deflate', 'br'),
  framing: fc.constantFrom('length', 'chunked', 'close'),
  changes: mutations,
  cuts,
  asksForStream: fc.boolean()
})

function onTheWire({
  status,
  content: { type, text },
  encoding,
  framing
}: {
  status: number
  content: { type: string; text: string }
  encoding: string | null
  framing: string
}): Buffer {
  const body = encoding === null ? Buffer.from(text) : codings[encoding]![0](Buffer.from(text))
  const encoded = encoding === null ? '' : `content-encoding: ${encoding}\r\n`
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\n${encoded}set-cookie: upstream=upstream-credential\r\n`
  const framed: Array<string | Buffer> =
    framing === 'length'
      ? [`content-length: ${body.length}\r\n\r\n`, body]
      : framing === 'close'
        ? ['connection: close\r\n\r\n', body]
        : body.length === 0
          ? ['transfer-encoding: chunked\r\n\r\n0\r\n\r\n']
          : [`transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
  return Buffer.concat([head, ...framed].map((part) => Buffer.from(part)))
}

type Coding = (bytes: Buffer) => Buffer
const codings: Record<string, readonly [Coding, Coding]> = {
  gzip: [gzipSync, unzipSync],
  deflate: [deflateSync, unzipSync],
  br: [brotliCompressSync, brotliDecompressSync]
}

/**
 * Lets an upstream answer with mutated bytes. What the client gets is compared with what another client gets from that
 * upstream directly: a whole answer passes byte for byte, but for the event of usage that was not asked for. Everything
 * else is a failure in the one shape, or one that the client cannot take for a whole answer.
 *
 * @returns how many answers there were, by what the client got
 * @throws what the first answer that is treated otherwise shows, shrunk to its smallest form
 */
export async function fuzzAnswers(runs: number, seed: number): Promise<Map<string, number>> {
  const upstream = await startRawUpstream()
  const gateway = await startGateway(upstream.url, { timeouts: '{ first_byte: 5000, between_chunks: 5000 }' })
  const { secret } = await gateway.seedKey()
  const target = gateway.upstreams.get('test')! as { breaker: Breaker; retries: { take(): boolean } }
  const got = new Map<string, number>()

  const property = fc.asyncProperty(answer, async (one) => {
    // Each answer stands for itself: no call is made good by another, and none is refused because others failed.
    target.breaker = new Breaker()
    while (target.retries.take());
    const bytes = mutate(onTheWire(one), one.changes)
    upstream.answer(cut(bytes, one.cuts))
    const body = JSON.stringify(chatOf('small', one.asksForStream ? { stream: true } : {}))
    const direct = await call(upstream.url, '/v1/chat/completions', body)
    const relayed = await call(gateway.url, '/v1/chat/completions', body, `Bearer ${secret}`)
    if (relayed === null) {
      // The body broke off before its beginning had left.
      if (direct === null || direct.status >= 300 || isHonest(direct, one.asksForStream)) {
        throw new Error('no answer at all')
      }
      got.set('broken off', (got.get('broken off') ?? 0) + 1)
      return
    }
    const seen = JSON.stringify({ ...relayed, body: relayed.body.toString('latin1') })
    if (seen.includes('upstream-credential') && !direct?.body.includes('upstream-credential'))
      throw new Error(`a credential: ${seen}`)
    const isLax = relayed.status === 502 && isLaxlyFramed(bytes)
    const kind = compare(isLax ? null : direct, relayed, one.asksForStream)
    got.set(kind, (got.get(kind) ?? 0) + 1)
  })
  try {
    await withLeakCheck(gateway, () => fc.assert(property, { numRuns: runs, seed, endOnFailure: false }))
  } finally {
    await gateway.close()
    await upstream.close()
  }
  return got
}

/**
 * Whether an answer has what Node's own client lets pass and the gateway refuses: an encoding of the transfer that is not
 * `chunked`, once, or empty lines before an answer.
 */
function isLaxlyFramed(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/^[\r\n]|\r\n\r\n[\r\n]+HTTP/.test(text)) return true
  const codings = [...text.matchAll(/^transfer-encoding:[\t ]*(.*?)[\t ]*\r$/gim)]
  return codings.length > 1 || codings.some(([, coding]) => coding!.toLowerCase() !== 'chunked')
}

/** @throws Error if what was relayed does not follow from what the upstream answers */
function compare(direct: Got | null, relayed: Got, asksForStream: boolean): string {
  if (relayed.sniffing !== 'nosniff') throw new Error('an answer that may be taken for a page')
  if (relayed.status >= 300) {
    if (!relayed.isComplete) throw new Error('a failure that is not complete')
    checkFailure(relayed.status, relayed.body.toString())
    if (direct === null) return `broken: ${relayed.status}`
    if (direct.status === relayed.status && relayed.status >= 500)
      throw new Error('a failure of the upstream as it was')
    if (direct.status >= 300) return `${direct.status}: ${relayed.status}`
    if (relayed.status !== 502) throw new Error(`no answer, told as ${relayed.status}`)
    if (isHonest(direct, asksForStream)) throw new Error('a whole answer was refused')
    return 'no answer: 502'
  }
  if (direct === null) throw new Error('an answer from nowhere')
  if (direct.status !== relayed.status) throw new Error(`${direct.status} became ${relayed.status}`)
  const isStream = relayed.type.startsWith('text/event-stream')
  if (isStream !== asksForStream) throw new Error('an answer that nobody asked for')
  if (isStream) return compareStreams(direct, relayed)
  if (relayed.type !== 'application/json') throw new Error(`an answer of type ${relayed.type}`)
  if (!relayed.isComplete) {
    if (isHonest(direct, false)) throw new Error('a whole answer was broken off')
    return 'whole, broken'
  }
  if (!direct.isComplete) throw new Error('a broken answer was made whole')
  if (!direct.body.equals(relayed.body)) throw new Error('another body')
  return 'whole'
}

/** Whether what an upstream answered is beyond doubt the answer that was asked for, and whole. */
function isHonest(direct: Got, asksForStream: boolean): boolean {
  if (!direct.isComplete || direct.isUndecodable) return false
  const text = direct.body.toString()
  const kind = judgeHead(direct.status, { contentType: direct.type, contentEncoding: undefined })
  if (kind !== (asksForStream ? 'stream' : 'body')) return false
  if (kind === 'body') return isChoices(text)
  if (!/^(data: [^\r\n]+\n\n)+$/.test(text)) return false
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => event.slice(6))
  const chunks = events[events.length - 1] === '[DONE]' ? events.slice(0, -1) : events
  const isEnded = chunks !== events || chunks[chunks.length - 1]?.includes('"finish_reason":"stop"')
  return (
    chunks.length > 0 &&
    isEnded === true &&
    chunks.every((event) => isChoices(event) || isUsage(event)) &&
    isChoices(chunks[0]!)
  )
}

/** Whether a text is a JSON object with a list of choices, in an order of bytes that leaves no doubt. */
function isChoices(text: string): boolean {
  const choices = memberOf(parsed(text), 'choices')
  return (
    Array.isArray(choices) &&
    /^\s*\{("id":"x",|"object":"chat.completion",)?"choices":\[\{/.test(text) &&
    !text.includes('error')
  )
}

function isUsage(text: string): boolean {
  return text === JSON.stringify({ choices: [], usage })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function compareStreams(direct: Got, relayed: Got): string {
  if (!relayed.isComplete) throw new Error('a stream without an end')
  const text = relayed.body.toString('latin1')
  // Of compressed bytes that break at their end, the gateway may have decoded all events.
  const from = (direct.isUndecodable ? relayed : direct).body.toString('latin1')
  const failure =
    /(?:^|[\r\n])data: (\{"error":\{"message":"[^"]*","type":"upstream_error","code":"[a-z_]+"\}\})\n\n$/.exec(text)
  if (failure === null) {
    const isEnded = /\[DONE\]|"finish_reason"\s*:\s*"[^"]|"usage"\s*:\s*\{/.test(from)
    if (!isEnded) throw new Error('a stream without an end passed for a whole one')
    if (!direct.isComplete && !from.includes('[DONE]')) throw new Error('a broken stream passed for a whole one')
    if (text.includes(`\n\ndata: ${error}\n\n`)) throw new Error('an error of the upstream passed')
  } else {
    if (isHonest(direct, true)) throw new Error('a whole stream was told as broken')
    if (/[\r\n]data: ?\[DONE\]\n/.test(text)) throw new Error('done, although broken')
  }
  if (direct.isUndecodable) return 'stream, undecodable'
  const events = text.slice(0, failure === null ? text.length : text.lastIndexOf('data: {"error"'))
  // Events may be missing, but nothing is new or in another order.
  let at = 0
  for (const line of events.split(/[\r\n]+/)) {
    if (line === '') continue
    const found = from.indexOf(line, at)
    if (found < 0) throw new Error(`not of the upstream: ${JSON.stringify(line)}`)
    at = found + line.length
  }
  return failure === null ? 'stream' : 'stream, broken'
}

/** @returns null if there was no answer that begins as one */
async function call(origin: string, path: string, body: string, authorization = 'Bearer x'): Promise<Got | null> {
  const answer = await new Promise<IncomingMessage | null>((resolve) => {
    const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request(origin + path, { method: 'POST', agent: false, headers })
    call.on('response', resolve).on('error', () => resolve(null))
    call.end(body)
  })
  if (answer === null) return null
  const chunks: Buffer[] = []
  // Node's own client believes the first of several, which is no type.
  const field = (name: string) => answer.headersDistinct[name]?.join(', ')
  const [type, encoding] = [field('content-type'), field('content-encoding') ?? 'identity']
  const sniffing = field('x-content-type-options')
  const head = { status: answer.statusCode!, type: type ?? 'application/json', sniffing }
  let isComplete = true
  try {
    for await (const piece of answer) chunks.push(piece)
    isComplete = answer.complete
  } catch {
    isComplete = false
  }
  return { ...head, isComplete, ...decoded(Buffer.concat(chunks), encoding) }
}

function decoded(bytes: Buffer, encoding: string): Pick<Got, 'body' | 'isUndecodable'> {
  if (encoding === 'identity') return { body: bytes, isUndecodable: false }
  try {
    return { body: codings[encoding]![1](bytes), isUndecodable: false }
  } catch {
    return { body: bytes, isUndecodable: true }
  }
}
