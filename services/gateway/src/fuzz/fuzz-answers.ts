import { type IncomingMessage, request } from 'node:http'
import fc from 'fast-check'
import { chatOf } from '../testing/client.ts'
import { startGateway } from '../testing/start-gateway.ts'
import { Breaker } from '../upstreams/breaker.ts'
import { checkFailure } from './check-failure.ts'
import { cut, cuts, mutate, mutations } from './mutations.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { withLeakCheck } from './with-leak-check.ts'

/** What a client got: all of an answer, or its beginning. */
type Got = { status: number; type: string; body: Buffer; isComplete: boolean }

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const chunk = (content: string) => JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content } }], usage: null })
const whole = fc
  .string()
  .map((content) => JSON.stringify({ object: 'chat.completion', choices: [{ message: { content } }], usage }))
const stream = fc
  .array(fc.string(), { maxLength: 5 })
  .map((contents) =>
    [...contents.map(chunk), JSON.stringify({ choices: [], usage }), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join('')
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
  content: fc.oneof(
    whole.map((text) => ({ type: 'application/json', text })),
    stream.map((text) => ({ type: 'text/event-stream', text }))
  ),
  framing: fc.constantFrom('length', 'chunked', 'close'),
  changes: mutations,
  cuts,
  asksForStream: fc.boolean()
})

function onTheWire({
  status,
  content: { type, text },
  framing
}: {
  status: number
  content: { type: string; text: string }
  framing: string
}): Buffer {
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\nset-cookie: upstream=upstream-credential\r\n`
  if (framing === 'length') return Buffer.from(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  if (framing === 'close') return Buffer.from(`${head}connection: close\r\n\r\n${text}`)
  return Buffer.from(
    `${head}transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`
  )
}

/**
 * Lets an upstream answer with mutated bytes. What the client gets is compared with what another client gets from that
 * upstream directly: an answer passes byte for byte, but for the event of usage that was not asked for; everything else is
 * a failure in the one shape, or one that the client cannot take for a whole answer.
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
    if (relayed === null) throw new Error('no answer at all')
    const seen = JSON.stringify({ ...relayed, body: relayed.body.toString('latin1') })
    if (seen.includes('upstream-credential') && !direct?.body.includes('upstream-credential'))
      throw new Error(`a credential: ${seen}`)
    const kind = relayed.status === 502 && isLaxlyFramed(bytes) ? compare(null, relayed) : compare(direct, relayed)
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
function compare(direct: Got | null, relayed: Got): string {
  const isStream = relayed.type.toLowerCase().startsWith('text/event-stream')
  // Nothing of the answer had come when it broke: the client need not see it.
  const isNothing = direct === null || (!direct.isComplete && direct.body.length === 0 && !isStream)
  if (isNothing || direct.status >= 300) {
    if (direct?.status === relayed.status && relayed.status >= 500)
      throw new Error('a failure of the upstream as it was')
    if (!relayed.isComplete) throw new Error('a failure that is not complete')
    checkFailure(relayed.status, relayed.body.toString())
    return `${direct?.status ?? 'broken'}: ${relayed.status}`
  }
  if (direct.status !== relayed.status) throw new Error(`${direct.status} became ${relayed.status}`)
  const text = relayed.body.toString('latin1')
  if (isStream) return compareStreams(direct, relayed, text)
  if (direct.isComplete !== relayed.isComplete) throw new Error(`complete: ${direct.isComplete}, ${relayed.isComplete}`)
  if (direct.isComplete && !direct.body.equals(relayed.body)) throw new Error('another body')
  return direct.isComplete ? 'whole' : 'whole, broken'
}

function compareStreams(direct: Got, relayed: Got, text: string): string {
  if (!relayed.isComplete) throw new Error('a stream without an end')
  const failure =
    /(?:^|[\r\n])data: (\{"error":\{"message":"[^"]*","type":"upstream_error","code":"[a-z_]+"\}\})\n\n$/.exec(text)
  // What breaks after it has said that it is done is not broken.
  const isDone = direct.isComplete || (failure === null && direct.body.includes('[DONE]'))
  if ((failure === null) !== isDone) throw new Error('a broken stream has an event of its failure, and no other has')
  if (failure !== null && text.includes('[DONE]') && !direct.body.includes('[DONE]'))
    throw new Error('done, although broken')
  const events = text.slice(0, failure === null ? text.length : text.lastIndexOf('data: {"error"'))
  const from = direct.body.toString('latin1')
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
  const head = { status: answer.statusCode!, type: answer.headers['content-type'] ?? '' }
  try {
    for await (const piece of answer) chunks.push(piece)
    return { ...head, body: Buffer.concat(chunks), isComplete: answer.complete }
  } catch {
    return { ...head, body: Buffer.concat(chunks), isComplete: false }
  }
}
