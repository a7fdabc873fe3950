import assert from 'node:assert/strict'
import t from 'tap'
import {
  answerWith,
  beginningOf,
  beginStream,
  deltaOf,
  eventOf,
  responseOf,
  responseUsage,
  streamOf
} from '../../testing/responses-answers.ts'
import { useResponses } from '../../testing/use-responses.ts'
import { tokensInTransit } from '../../tokens/received-text.ts'

const api = useResponses(t)
const { ask, client, lineOf } = api

t.test('a cut stream ends with an error event, and is charged its words', async () => {
  const response = responseOf('x')
  api.upstream.answer((received) => {
    const stream = beginStream(received)
    stream.write(beginningOf(response) + deltaOf('one two') + deltaOf(' three'), () => stream.destroy())
  })
  const answer = await ask({ stream: true })
  const events = (await answer.text()).trim().split('\n\n')
  const [name, data] = events.at(-1)!.split('\n')
  assert.equal(name, 'event: error')
  assert.partialDeepStrictEqual(JSON.parse(data!.slice('data: '.length)), {
    type: 'error',
    code: 'upstream_error',
    param: null,
    sequence_number: events.length - 1
  })
  const line = await lineOf(answer)
  assert.partialDeepStrictEqual(line, { code: 'upstream_error', estimated: true })
  assert.equal(line.completionTokens, 3 + 3 + tokensInTransit)
  assert.ok(line.promptTokens >= 1 && line.promptTokens < 110)

  await assert.rejects(async () => {
    for await (const _event of await client().responses.create({ model: 'small', input: 'x', stream: true }));
  }, /provider failed/)

  const hidden = await ask({ stream: true, model: 'thinking' })
  await hidden.text()
  assert.partialDeepStrictEqual(await lineOf(hidden), { completionTokens: 100, estimated: true })
})

t.test('an error event after the client has a part ends the stream in the gateway’s words', async () => {
  const begun = beginningOf(responseOf('x'))
  const error = eventOf('error', { code: 'server_error', message: 'secret detail', param: null })
  let fail = () => {}
  api.upstream.answer((received) => {
    const stream = beginStream(received)
    stream.write(begun)
    fail = () => stream.end(error)
  })
  const answer = await ask({ stream: true })
  fail()
  const text = await answer.text()
  assert.ok(text.startsWith(begun) && text.includes('"code":"upstream_error"') && !text.includes('secret detail'))
})

t.test('a response that failed is the provider’s answer, and costs nothing without words', async () => {
  const failed = { status: 'failed', error: { code: 'server_error', message: 'x' }, usage: null, output: [] }
  for (const [model, stream] of [
    ['small', true],
    ['small', false],
    ['thinking', true],
    ['thinking', false]
  ] as const) {
    api.upstream.answer(answerWith([], failed))
    const answer = await ask({ stream, model })
    assert.ok((await answer.text()).includes('"status":"failed"'))
    assert.partialDeepStrictEqual(await lineOf(answer), { status: 200, code: null, costNanos: 0 })
  }
  api.upstream.answer(answerWith([], { ...failed, usage: responseUsage(9, 3) }))
  assert.partialDeepStrictEqual(await lineOf(await ask()), { promptTokens: 9, completionTokens: 3, estimated: false })
})

t.test('an incomplete response is charged its usage', async () => {
  for (const stream of [true, false]) {
    api.upstream.answer(
      answerWith(['x'], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    )
    const answer = await ask({ stream })
    await answer.text()
    assert.partialDeepStrictEqual(await lineOf(answer), {
      code: null,
      promptTokens: 11,
      completionTokens: 7,
      estimated: false
    })
  }
})

t.test('a response without usage is charged its words, not the repeated request', async () => {
  for (const stream of [true, false]) {
    api.upstream.answer(answerWith(['one two three'], { usage: null, instructions: 'long '.repeat(500) }))
    const answer = await ask({ stream })
    await answer.text()
    const line = await lineOf(answer)
    assert.equal(line.estimated, true)
    assert.ok(line.completionTokens >= 3 && line.completionTokens < 20, `${line.completionTokens}`)
  }
})

t.test('a client that leaves early is charged the words until then; after the last event, the usage', async () => {
  for (const [isDone, expected] of [
    [false, { completionTokens: 3 + 3 + tokensInTransit, estimated: true }],
    [true, { completionTokens: 7, estimated: false }]
  ] as const) {
    const response = responseOf('one two three')
    api.upstream.answer((received) => {
      const stream = beginStream(received)
      stream.write(isDone ? streamOf(response, ['one two three']) : beginningOf(response) + deltaOf('one two three'))
    })
    const leaving = new AbortController()
    const answer = await ask({ stream: true }, { signal: leaving.signal })
    const reader = answer.body!.getReader()
    let text = ''
    while (!text.includes(isDone ? 'response.completed' : 'one two three')) {
      const { value } = await reader.read()
      text += Buffer.from(value!).toString()
    }
    leaving.abort()
    await reader.read().catch(() => {})
    assert.partialDeepStrictEqual(await lineOf(answer), { ...expected, clientGone: true })
  }
})
