import { type IncomingMessage, request } from 'node:http'
import { brotliCompressSync, brotliDecompressSync, deflateSync, gzipSync, unzipSync } from 'node:zlib'
import { classifyHead } from '@tollgate/gateway/relay/client-may-retry.ts'
import { cut, cuts, mutate, mutations, place } from '@tollgate/gateway/testing/mutations.ts'
import { startGateway } from '@tollgate/gateway/testing/start-gateway.ts'
import { Breaker } from '@tollgate/gateway/upstreams/breaker.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import fc from 'fast-check'
import { checkFailure, headersOf, speaksAll } from './all-apis.ts'
import { type AnswerApi, chatAnswers } from './chat-answers.ts'
import { withLeakCheck } from './loop-watch.ts'
import { messagesAnswers } from './messages-answers.ts'
import { responsesAnswers } from './other-answers.ts'
import { startRawUpstream } from './read-answers.ts'

/** An answer, or its beginning, as a client received it. */
interface Received {
  status: number
  type: string
  sniffing: string | undefined
  /** Decoded if possible. */
  body: Buffer
  isComplete: boolean
  isUndecodable: boolean
}

/** Texts, some of them cut off. */
const perhapsCut = (texts: fc.Arbitrary<string>) =>
  fc
    .tuple(texts, fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, place))
    .map(([text, share]) => text.slice(0, Math.ceil(share * text.length)))

const apis = [chatAnswers, responsesAnswers, messagesAnswers]
/** Contents of an API, and some that are none. */
const contentOf = (api: AnswerApi) =>
  fc.oneof(
    { weight: 3, arbitrary: perhapsCut(api.whole).map((text) => ({ api: api.name, type: 'application/json', text })) },
    {
      weight: 4,
      arbitrary: perhapsCut(api.stream).map((text) => ({ api: api.name, type: 'text/event-stream', text }))
    },
    {
      weight: 1,
      arbitrary: fc.record({
        api: fc.constant(api.name),
        type: fc.constantFrom('text/html', 'application/json', 'text/event-stream'),
        text: fc.constantFrom(
          '<!DOCTYPE html><html>{"choices":[{}]}</html>',
          api.error,
          '',
          'data: [DONE]\n\n',
          '{}',
          'null'
        )
      })
    }
  )
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
  content: fc.oneof(...apis.map(contentOf)),
  encoding: fc.constantFrom(null, null, null, null, null, null, 'gzip', 'deflate', 'br'),
  framing: fc.constantFrom('length', 'chunked', 'close'),
  changes: mutations,
  cuts,
  asksForStream: fc.boolean()
})

function answerBytes({
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
 * Lets an upstream answer with mutated bytes. Compares the relayed answer with a direct one from the same upstream. A
 * complete answer must pass byte for byte, except for a usage event that the client did not ask for. Everything else
 * must become a failure in the error shape, or an answer that is recognizably incomplete.
 *
 * @returns how many answers there were, by kind
 * @throws the first violation, with its answer shrunk to the smallest form
 */
export async function fuzzAnswers(runs: number, seed: number): Promise<Map<string, number>> {
  const upstream = await startRawUpstream()
  const upstreamsFile = speaksAll(upstream.url, '{ first_byte: 5000, between_chunks: 5000 }')
  const gateway = await startGateway(upstream.url, { upstreamsFile })
  const { secret, account } = await gateway.seedKey()
  const target = gateway.upstreams.get('test')! as { breaker: Breaker; retries: { take(): boolean } }
  const got = new Map<string, number>()

  const property = fc.asyncProperty(answer, async (one) => {
    // Every answer counts alone: the gateway may not retry, and the breaker forgets earlier failures.
    target.breaker = new Breaker()
    while (target.retries.take());
    const bytes = mutate(answerBytes(one), one.changes)
    upstream.answer(cut(bytes, one.cuts))
    const api = apis.find(({ name }) => name === one.content.api)!
    const body = JSON.stringify(api.request(one.asksForStream))
    const direct = await call(upstream.url, api.path, body)
    const relayed = await call(gateway.url, api.path, body, `Bearer ${secret}`)
    const count = (kind: string) => got.set(`${api.name}: ${kind}`, (got.get(`${api.name}: ${kind}`) ?? 0) + 1)
    if (relayed === null) {
      // The body broke off before the gateway had sent its beginning.
      if (direct === null || direct.status >= 300 || isUnambiguous(direct, one.asksForStream, api)) {
        throw new Error('the gateway sent no answer')
      }
      count('broken off')
      return
    }
    const seen = JSON.stringify({ ...relayed, body: relayed.body.toString('latin1') })
    if (seen.includes('upstream-credential') && !direct?.body.includes('upstream-credential'))
      throw new Error(`the answer contains a credential: ${seen}`)
    const isLax = relayed.status === 502 && hasLaxFraming(bytes)
    count(compare(isLax ? null : direct, relayed, one.asksForStream, api))
  })
  try {
    await withLeakCheck(gateway, () => fc.assert(property, { numRuns: runs, seed, endOnFailure: false }))
    await gateway.settled()
    const { account: charges, holds } = await readState(gateway.state.client, account)
    if (holds.size > 0) throw new Error(`${holds.size} holds remain`)
    if (!Number.isSafeInteger(charges?.settled) || charges?.reserved !== 0) throw new Error('the charges are not exact')
  } finally {
    await gateway.close()
    await upstream.close()
  }
  return got
}

/**
 * Whether an answer has a form that Node's own client accepts and the gateway refuses: a transfer encoding other than a
 * single `chunked`, or empty lines before an answer.
 */
function hasLaxFraming(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (/^[\r\n]|\r\n\r\n[\r\n]+HTTP/.test(text)) return true
  const codings = [...text.matchAll(/^transfer-encoding:[\t ]*(.*?)[\t ]*\r$/gim)]
  return codings.length > 1 || codings.some(([, coding]) => coding!.toLowerCase() !== 'chunked')
}

/** Compares a relayed answer with the direct one. @returns the kind of answer @throws Error if they do not agree */
function compare(direct: Received | null, relayed: Received, asksForStream: boolean, api: AnswerApi): string {
  if (relayed.sniffing !== 'nosniff') throw new Error('an answer lacks nosniff')
  if (relayed.status >= 300) {
    if (!relayed.isComplete) throw new Error('a failure is incomplete')
    checkFailure(relayed.status, relayed.body.toString())
    if (direct === null) return `broken: ${relayed.status}`
    if (direct.status === relayed.status && relayed.status >= 500)
      throw new Error('an upstream failure passed unchanged')
    if (direct.status >= 300) return `${direct.status}: ${relayed.status}`
    if (relayed.status !== 502) throw new Error(`an invalid answer became ${relayed.status}`)
    if (isUnambiguous(direct, asksForStream, api)) throw new Error('a complete answer was refused')
    return 'invalid answer: 502'
  }
  if (direct === null) throw new Error('an answer without an upstream answer')
  if (direct.status !== relayed.status) throw new Error(`${direct.status} became ${relayed.status}`)
  const isStream = relayed.type.startsWith('text/event-stream')
  if (isStream !== asksForStream) throw new Error('a stream instead of a body, or a body instead of a stream')
  if (isStream) return compareStreams(direct, relayed, api)
  if (relayed.type !== 'application/json') throw new Error(`an answer of type ${relayed.type}`)
  if (!relayed.isComplete) {
    if (isUnambiguous(direct, false, api)) throw new Error('a complete answer was cut off')
    return 'whole, broken'
  }
  if (!direct.isComplete) throw new Error('an incomplete answer became complete')
  if (!direct.body.equals(relayed.body)) throw new Error('the body changed')
  return 'whole'
}

/** Whether an upstream answer is certainly complete and of the requested kind. */
function isUnambiguous(direct: Received, asksForStream: boolean, api: AnswerApi): boolean {
  if (!direct.isComplete || direct.isUndecodable) return false
  const text = direct.body.toString()
  const kind = classifyHead(direct.status, { contentType: direct.type, contentEncoding: undefined })
  if (kind !== (asksForStream ? 'stream' : 'body')) return false
  return kind === 'body' ? api.isWholeBody(text) : api.isWholeStream(text)
}

function compareStreams(direct: Received, relayed: Received, api: AnswerApi): string {
  if (!relayed.isComplete) throw new Error('a stream does not end')
  const text = relayed.body.toString('latin1')
  // If only the end of the compressed bytes is broken, the gateway may have decoded all events.
  const from = (direct.isUndecodable ? relayed : direct).body.toString('latin1')
  const failure = api.failure.exec(text)
  if (failure === null) {
    if (!api.maybeEnded.test(from)) throw new Error('an unfinished stream passed as complete')
    if (!direct.isComplete && !api.ended.test(from)) throw new Error('a broken stream passed as complete')
    if (text.includes(`\n\ndata: ${api.error}\n\n`)) throw new Error('an upstream error passed unchanged')
  } else {
    if (isUnambiguous(direct, true, api)) throw new Error('a complete stream became a failure')
    if (/[\r\n]data: ?\[DONE\]\n/.test(text)) throw new Error('a broken stream has [DONE]')
  }
  if (direct.isUndecodable) return 'stream, undecodable'
  const events = failure === null ? text : text.slice(0, -failure[1]!.length)
  // Events may be missing, but none may be new or in another order.
  let at = 0
  for (const line of events.split(/[\r\n]+/)) {
    if (line === '') continue
    const index = from.indexOf(line, at)
    if (index < 0) throw new Error(`not from the upstream: ${JSON.stringify(line)}`)
    at = index + line.length
  }
  return failure === null ? 'stream' : 'stream, broken'
}

/** @returns null if no head of an answer arrived */
async function call(origin: string, path: string, body: string, authorization = 'Bearer x'): Promise<Received | null> {
  const answer = await new Promise<IncomingMessage | null>((resolve) => {
    const length = { 'content-length': Buffer.byteLength(body) }
    const headers = { authorization, 'content-type': 'application/json', ...length, ...headersOf(path) }
    const call = request(origin + path, { method: 'POST', agent: false, headers })
    call.on('response', resolve).on('error', () => resolve(null))
    call.end(body)
  })
  if (answer === null) return null
  const chunks: Buffer[] = []
  // Node's own client uses the first of several types, but several types are no valid type.
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

function decoded(bytes: Buffer, encoding: string): Pick<Received, 'body' | 'isUndecodable'> {
  if (encoding === 'identity') return { body: bytes, isUndecodable: false }
  try {
    return { body: codings[encoding]![1](bytes), isUndecodable: false }
  } catch {
    return { body: bytes, isUndecodable: true }
  }
}
