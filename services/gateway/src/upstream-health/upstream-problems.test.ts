import assert from 'node:assert/strict'
import pino from 'pino'
import t from 'tap'
import { post } from '../testing/client.ts'
import { callsOf, plainAnswer, plainStream, type Received } from '../testing/fake-upstream.ts'
import { messageStream, streamBeginning } from '../testing/message-answers.ts'
import { readMetrics } from '../testing/read-metrics.ts'
import { responseOf, streamOf } from '../testing/responses-answers.ts'
import { catalogOf } from '../testing/start-gateway.ts'
import { startTwoUpstreams, type TwoUpstreams } from '../testing/two-upstreams.ts'

const theirName = 'acme/secret-7b'
const lines: Array<Record<string, unknown>> = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
let both: TwoUpstreams
let secret: string
t.before(async () => {
  const first = { upstream: 'first', model: theirName }
  const catalog = catalogOf({ fast: [first, { upstream: 'second', model: 'b', priority: 1 }], alone: [first] })
  both = await startTwoUpstreams({ catalog, log }, (first, second) => ({
    first: [`${first}/v1`, 'chat, responses, messages'],
    second: [`${second}/v1`, 'chat, responses, messages']
  }))
  secret = (await both.gateway.seedKey()).secret
})
t.teardown(() => both.close())
t.beforeEach(() => {
  both.gateway.upstreams.get('first')!.pauses.until.clear()
  both.first.received.length = both.second.received.length = 0
})

const answering =
  (status: number, body: unknown) =>
  ({ response }: Received): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const works = ({ response }: Received): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer)

/** A request to each endpoint. */
const asking = {
  '/chat/completions': (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  '/responses': (model: string) => ({ model, input: 'Hi', store: false }),
  '/messages': (model: string) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
  '/messages/count_tokens': (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] })
}
type Path = keyof typeof asking

async function ask(
  model: string,
  path: Path = '/chat/completions',
  members: object = {}
): Promise<{ status: number; text: string }> {
  const authorization = `Bearer ${secret}`
  const headers = { authorization, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const answer = await post(both.gateway, null, path, { ...asking[path](model), ...members }, { headers })
  return { status: answer.status, text: await answer.text() }
}

async function hasProblem(): Promise<boolean> {
  const samples = readMetrics(await both.gateway.metrics())
  const { value } = samples.find(
    ({ name, labels }) => name === 'tollgate_upstream_problem' && labels.upstream === 'first'
  )!
  return value === 1
}

const faults: Array<[status: number, body: unknown, code: string]> = [
  [404, { error: { message: `The model \`${theirName}\` does not exist.`, type: 'NotFoundError' } }, 'misconfigured'],
  [404, { error: { code: 'DeploymentNotFound', message: 'No deployment.' } }, 'misconfigured'],
  [400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }], 'rejected_credentials'],
  [400, { error: { message: 'Your organization must be verified to stream this model.' } }, 'misconfigured'],
  [
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
    'quota_exhausted'
  ]
]

t.test('a fault of the operator: the next upstream answers, and the operator is told', async () => {
  for (const [status, body, code] of faults) {
    both.gateway.upstreams.get('first')!.pauses.until.clear()
    lines.length = 0
    both.first.answer(answering(status, body))
    both.second.answer(works)
    assert.equal((await ask('fast')).status, 200, code)
    assert.ok(await hasProblem(), 'the problem is shown')
    assert.partialDeepStrictEqual(
      lines.find(({ msg }) => msg === 'upstream failed'),
      { level: 50, upstream: 'first', upstreamModel: theirName, err: { code: `upstream_${code}` } }
    )
    assert.equal(lines.filter(({ fault }) => fault !== undefined).length, 1, 'a new problem is logged')
    const alone = await ask('alone')
    assert.equal(alone.status, 502, code)
    assert.match(alone.text, new RegExp(`"code":"upstream_${code}"`))
    assert.doesNotMatch(alone.text, /secret-7b|verified|API key|deployment/i)
    assert.equal(lines.filter(({ fault }) => fault !== undefined).length, 1, 'each problem is logged once')
    both.first.answer(works)
    assert.equal((await ask('alone')).status, 200)
    assert.ok(!(await hasProblem()), 'an answer ends the problem')
  }
})

t.test(
  'a fault of the operator that only a call that costs nothing met is shown, too, until such a call works',
  async () => {
    const path = '/messages/count_tokens'
    both.first.answer(answering(401, { error: { message: 'Wrong key.' } }))
    assert.equal((await ask('alone', path)).status, 502)
    assert.ok(await hasProblem())
    both.first.answer(answering(200, { input_tokens: 3 }))
    assert.equal((await ask('alone', path)).status, 200)
    assert.ok(!(await hasProblem()))
    // The endpoint may be missing, and the model there.
    both.first.answer(answering(404, { detail: 'Not Found' }))
    assert.equal((await ask('alone', path)).status, 502)
    assert.ok(!(await hasProblem()))
  }
)

t.test('a refusal about the request has the client’s name of the model, at every endpoint', async () => {
  const message = `This model (${theirName}) has 16 tokens at most. Ask org-AbC123dEf456.`
  both.first.answer(
    answering(400, { type: 'error', error: { type: 'invalid_request_error', message, hint: theirName } })
  )
  for (const path of Object.keys(asking) as Path[]) {
    const { status, text } = await ask('fast', path)
    assert.equal(status, 400, text)
    const { error } = JSON.parse(text) as { error: Record<string, unknown> }
    assert.equal(error.message, 'This model (fast) has 16 tokens at most. Ask [hidden].', path)
    assert.equal(error.hint, 'fast')
  }
  assert.equal(callsOf(both.second.received).length, 0, 'no other upstream is called')
  assert.ok(!(await hasProblem()))
})

const streaming =
  (...events: string[]) =>
  ({ response }: Received): void =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''))

const noCredit = { type: 'insufficient_quota', code: 'insufficient_quota', message: `No quota for ${theirName}.` }
const failedWith = (error: object) => {
  const data = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error, output: [] } }
  return `event: response.failed\ndata: ${JSON.stringify(data)}\n\n`
}
/** For each endpoint: the first words of a stream, events of the operator's fault, and a whole stream. */
const streams: Array<[path: Path, words: string, faults: string[], whole: string]> = [
  [
    '/chat/completions',
    'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n',
    [
      `data: ${JSON.stringify({ error: noCredit })}\n\n`,
      `data: ${JSON.stringify({ error: { code: 402, message: 'No credit' } })}\n\n`,
      `data: ${JSON.stringify({ choices: [{ index: 0, error: noCredit }] })}\n\n`
    ],
    plainStream
  ],
  [
    '/responses',
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":0,"delta":"Hello"}\n\n',
    [`event: error\ndata: ${JSON.stringify({ ...noCredit, type: 'error' })}\n\n`, failedWith(noCredit)],
    streamOf(responseOf('Hello'), ['Hello'])
  ],
  [
    '/messages',
    streamBeginning,
    [`event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'billing_error', message: 'No' } })}\n\n`],
    messageStream
  ]
]

t.test(
  'a stream that reports a fault of the operator is like such a body, before its first event and after it',
  async () => {
    const stream = { stream: true }
    for (const [path, words, faults, whole] of streams) {
      for (const fault of faults) {
        both.gateway.upstreams.get('first')!.pauses.until.clear()
        both.first.answer(streaming(fault))
        both.second.answer(streaming(whole))
        const served = await ask('fast', path, stream)
        assert.equal(served.text, whole, fault)
        assert.ok(await hasProblem(), fault)
        const refused = await ask('alone', path, stream)
        assert.equal(refused.status, 502)
        both.first.answer(streaming(whole))
        assert.equal((await ask('alone', path, stream)).status, 200)
        assert.ok(!(await hasProblem()), 'an answer ends the problem')
        both.first.answer(streaming(words, fault))
        const begun = await ask('alone', path, stream)
        assert.ok(begun.status === 200 && begun.text.startsWith(words), begun.text)
        for (const { text } of [refused, begun]) {
          assert.match(text, /"upstream_quota_exhausted"/)
          assert.doesNotMatch(text, /secret-7b|insufficient/)
        }
        assert.ok(await hasProblem(), fault)
      }
    }
  }
)

t.test('a whole response that failed', async (t) => {
  const response = responseOf('Hello')
  const failed = (error: object) => JSON.stringify({ ...response, status: 'failed', error })
  const whole =
    (text: string) =>
    ({ response }: Received): void =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)

  await t.test('has the client’s name of the model in its error, and is else unchanged', async () => {
    const failure = { code: 'server_error', message: `${theirName} of org-AbC123dEf456 failed.` }
    both.first.answer(whole(failed(failure)))
    const { text } = await ask('alone', '/responses')
    assert.equal(text, failed({ ...failure, message: 'alone of [hidden] failed.' }))
  })

  await t.test('through a fault of the operator gives way to another upstream', async () => {
    both.gateway.upstreams.get('first')!.pauses.until.clear()
    both.first.answer(whole(failed(noCredit)))
    const answer = JSON.stringify(response)
    both.second.answer(whole(answer))
    assert.equal((await ask('fast', '/responses')).text, answer)
    assert.ok(await hasProblem())
    const alone = await ask('alone', '/responses')
    assert.equal(alone.status, 502)
    assert.match(alone.text, /"upstream_quota_exhausted"/)
  })
})

t.test(
  'a response that fails within a stream has the client’s name of the model in its error, and is else unchanged',
  async () => {
    const failure = { code: 'server_error', message: `${theirName} of org-AbC123dEf456 failed.` }
    both.first.answer(streaming(failedWith(failure)))
    const { text } = await ask('alone', '/responses', { stream: true })
    assert.equal(text, failedWith({ ...failure, message: 'alone of [hidden] failed.' }))
  }
)
