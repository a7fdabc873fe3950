import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import type { Test } from 'tap'
import { z } from 'zod'
import { recordedRequests } from '../recorded-requests.ts'
import type { TestSystem } from '../start-test-system.ts'
import { type ClientAccess, misbehaving } from './client-access.ts'
import { failureOf } from './failure-of.ts'

const question = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user' as const, content: 'Say 20 words.' }]
}

/** Resolves once the model server has seen the client of a request leave before the end; fails after five seconds. */
async function untilAborted(system: TestSystem, requestId: string): Promise<void> {
  const deadline = performance.now() + 5000
  for (;;) {
    const [request] = await recordedRequests(system, requestId)
    if (request?.abortedAtMs != null) return
    if (request?.finishedAtMs != null) throw new Error('the upstream call was not aborted: it finished')
    if (performance.now() > deadline) throw new Error('the upstream call goes on')
  }
}

/** Chat with the official SDK and its helpers. */
export function openaiChat(t: Test, { system, baseURL, apiKey }: ClientAccess): void {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })

  t.test('a stream says what the whole answer says', async (t) => {
    const { data: whole, request_id: requestId } = await openai.chat.completions.create(question).withResponse()
    t.match(whole, {
      object: 'chat.completion',
      model: 'gpt-4o-mini',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: /^(\w+ ){19}\w+$/ } }]
    })
    t.match(whole.usage, { completion_tokens: 20, total_tokens: whole.usage!.prompt_tokens + 20 })
    t.match(requestId, /^req_/)
    const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...question, stream: true }))
    // Who does not ask for the usage gets no chunk without choices, which much code does not expect.
    t.ok(chunks.every(({ choices }) => choices.length === 1))
    const streamed = chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')
    t.equal(streamed, whole.choices[0]!.message.content)
  })

  t.test('who asks for the usage of a stream gets it in a last chunk without choices', async (t) => {
    const stream = await openai.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true }
    })
    const chunks = await Array.fromAsync(stream)
    const last = chunks.pop()!
    t.same(last.choices, [])
    t.match(last.usage, { completion_tokens: 20, prompt_tokens: Number, total_tokens: Number })
    t.ok(
      chunks.every(({ choices, usage }) => choices.length === 1 && usage === null),
      'the others have choices and no usage'
    )
  })

  t.test('several choices, probabilities and a limit come through', async (t) => {
    const answer = await openai.chat.completions.create({
      ...question,
      n: 2,
      logprobs: true,
      top_logprobs: 2,
      max_completion_tokens: 5
    })
    t.equal(answer.choices.length, 2)
    for (const { logprobs, finish_reason: finish } of answer.choices) {
      t.equal(finish, 'length')
      t.equal(logprobs!.content!.length, 5)
      t.equal(logprobs!.content![0]!.top_logprobs.length, 2)
    }
  })

  t.test('the stream() helper tells each piece and puts the answer together', async (t) => {
    const stream = openai.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
    let pieces = ''
    stream.on('content', (delta) => {
      pieces += delta
    })
    const answer = await stream.finalChatCompletion()
    t.match(pieces, /^(\w+ ){19}\w+$/)
    t.equal(answer.choices[0]!.message.content, pieces)
    t.equal((await stream.totalUsage()).completion_tokens, 20)
  })

  t.test('parse() reads an answer of the shape that a schema asks for', async (t) => {
    const answer = await openai.chat.completions.parse({
      ...question,
      response_format: zodResponseFormat(z.object({ city: z.enum(['Oslo']), degrees: z.int() }), 'weather')
    })
    t.same(answer.choices[0]!.message.parsed, { city: 'Oslo', degrees: 0 })
  })

  for (const stream of [false, true]) {
    t.test(`runTools() ${stream ? 'with streams' : 'with whole answers'} calls the function and goes on`, async (t) => {
      const asked: unknown[] = []
      const parameters = z.toJSONSchema(z.object({ city: z.enum(['Oslo']) })) as Record<string, unknown>
      const weather = {
        type: 'function' as const,
        function: {
          name: 'weather',
          description: 'The weather of a city',
          parameters,
          parse: JSON.parse,
          function: (input: object) => {
            asked.push(input)
            return 'snow'
          }
        }
      }
      const body = {
        model: 'gpt-4o-mini',
        messages: [{ role: 'user' as const, content: 'What does weather say of Oslo?' }],
        tools: [weather]
      }
      const runner = stream
        ? openai.chat.completions.runTools({ ...body, stream: true })
        : openai.chat.completions.runTools(body)
      t.match(await runner.finalContent(), /^The tool answered "snow"\. /)
      t.same(asked, [{ city: 'Oslo' }])
      t.equal(runner.messages.length, 4, 'question, call, result, answer')
    })
  }

  t.test('leaving a stream ends the upstream call, whichever way one leaves', async (t) => {
    const long = {
      model: 'gpt-4o-mini',
      stream: true as const,
      messages: [{ role: 'user' as const, content: 'Say 2000 words.' }]
    }
    const ways = {
      'stream.controller.abort()': (stream: { controller: AbortController }) => stream.controller.abort(),
      'a signal': (_stream: object, leaving: AbortController) => leaving.abort(),
      'the end of the loop': null
    }
    for (const [name, leave] of Object.entries(ways)) {
      const leaving = new AbortController()
      const { data: stream, request_id: requestId } = await openai.chat.completions
        .create(long, { signal: leaving.signal })
        .withResponse()
      let chunks = 0
      for await (const _chunk of stream) {
        if (++chunks < 3) continue
        if (leave === null) break
        leave(stream, leaving)
      }
      t.ok(chunks < 500, name)
      await untilAborted(system, requestId!)
    }
  })

  t.test('an upstream that fails every second time goes unnoticed', async (t) => {
    for (const attempt of [1, 2]) {
      const answer = await openai.chat.completions.create({ ...question, model: 'fails-every-second' })
      t.equal(answer.choices[0]!.finish_reason, 'stop', `request ${attempt}`)
    }
  })

  t.test('the SDK’s usual retries get through where the gateway does not try again', async (t) => {
    const asking = { ...question, model: 'asks-for-a-rest' }
    t.match(await failureOf(openai.chat.completions.create(asking)), { status: 502, code: 'upstream_error' })
    const patient = new OpenAI({ baseURL, apiKey })
    for (const attempt of [1, 2]) {
      const answer = await patient.chat.completions.create(asking)
      t.equal(answer.choices[0]!.finish_reason, 'stop', `request ${attempt}`)
    }
    const calls = (await recordedRequests(system)).filter(({ model }) => model === misbehaving['asks-for-a-rest'])
    t.same(
      calls.map(({ status }) => status),
      [503, 200, 503, 200]
    )
  })
}
