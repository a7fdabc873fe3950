import assert from 'node:assert/strict'
import type OpenAITypes from 'openai'
import { z } from 'zod'
import { recordedRequests, type TestSystem } from '../start-test-system.ts'
import { type ClientAccess, failureOf, type Journeys } from './client-access.ts'
import type { OpenaiKit } from './kits.ts'

const question = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user' as const, content: 'Say 20 words.' }]
}

/** Tests chat with the official SDK and its helpers. */
export function openaiChat(t: Journeys, kit: OpenaiKit, access: ClientAccess): void {
  const { baseURL, apiKey, system } = access
  const openai = new kit.OpenAI({ baseURL, apiKey, maxRetries: 0 })
  answers(t, kit, openai)
  tools(t, openai)
  aborts(t, openai, system)
  retries(t, kit, openai, access)
}

function answers(t: Journeys, { zodResponseFormat }: OpenaiKit, openai: OpenAITypes): void {
  t.test(['answer', 'stream'], 'a stream has the same text as a single body', async () => {
    const { data: whole, request_id: requestId } = await openai.chat.completions.create(question).withResponse()
    assert.partialDeepStrictEqual(whole, {
      object: 'chat.completion',
      model: 'gpt-4o-mini',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }]
    })
    assert.match(whole.choices[0]!.message.content!, /^(\w+ ){19}\w+$/)
    assert.partialDeepStrictEqual(whole.usage, { completion_tokens: 20, total_tokens: whole.usage!.prompt_tokens + 20 })
    assert.match(requestId!, /^req_/)
    const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...question, stream: true }))
    // Without `include_usage` no chunk lacks choices, since much client code does not expect such a chunk.
    assert.ok(chunks.every(({ choices }) => choices.length === 1))
    const streamed = chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')
    assert.equal(streamed, whole.choices[0]!.message.content)
  })

  t.test(['stream'], 'with include_usage, the last chunk has the usage and no choices', async () => {
    const stream = await openai.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true }
    })
    const chunks = await Array.fromAsync(stream)
    const last = chunks.pop()!
    assert.deepEqual(last.choices, [])
    assert.equal(last.usage?.completion_tokens, 20)
    assert.equal(last.usage.total_tokens, last.usage.prompt_tokens + 20)
    assert.ok(
      chunks.every(({ choices, usage }) => choices.length === 1 && usage === null),
      'the other chunks have choices and no usage'
    )
  })

  t.test(['choices', 'log probabilities'], 'several choices, log probabilities and max_tokens work', async () => {
    const answer = await openai.chat.completions.create({
      ...question,
      n: 2,
      logprobs: true,
      top_logprobs: 2,
      max_completion_tokens: 5
    })
    assert.equal(answer.choices.length, 2)
    for (const { logprobs, finish_reason: finish } of answer.choices) {
      assert.equal(finish, 'length')
      assert.equal(logprobs!.content!.length, 5)
      assert.equal(logprobs!.content![0]!.top_logprobs.length, 2)
    }
  })

  t.test(['stream'], 'the stream() helper emits each piece and assembles the answer', async () => {
    const stream = openai.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
    let pieces = ''
    stream.on('content', (delta) => {
      pieces += delta
    })
    const answer = await stream.finalChatCompletion()
    assert.match(pieces, /^(\w+ ){19}\w+$/)
    assert.equal(answer.choices[0]!.message.content, pieces)
    assert.equal((await stream.totalUsage()).completion_tokens, 20)
  })

  t.test(['structured output'], 'parse() reads an answer that matches a schema', async () => {
    const answer = await openai.chat.completions.parse({
      ...question,
      response_format: zodResponseFormat(z.object({ city: z.enum(['Oslo']), degrees: z.int() }), 'weather')
    })
    assert.deepEqual(answer.choices[0]!.message.parsed, { city: 'Oslo', degrees: 0 })
  })
}

function tools(t: Journeys, openai: OpenAITypes): void {
  for (const stream of [false, true]) {
    t.test(
      ['tools'],
      `runTools() calls the function and continues, ${stream ? 'with' : 'without'} streaming`,
      async () => {
        const inputs: unknown[] = []
        const weather = {
          type: 'function' as const,
          function: {
            name: 'weather',
            description: 'The weather of a city',
            parameters: z.toJSONSchema(z.object({ city: z.enum(['Oslo']) })) as Record<string, unknown>,
            parse: JSON.parse,
            function: (input: object) => {
              inputs.push(input)
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
        assert.match((await runner.finalContent())!, /^The tool answered "snow"\. /)
        assert.deepEqual(inputs, [{ city: 'Oslo' }])
        assert.equal(runner.messages.length, 4, 'question, call, result, answer')
      }
    )
  }
}

function aborts(t: Journeys, openai: OpenAITypes, system: TestSystem): void {
  t.test(['aborted streams'], 'every way to leave a stream ends the upstream call', async () => {
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
      assert.ok(chunks < 500, name)
      await untilAborted(system, requestId!)
    }
  })
}

/** Waits until the model server saw a call aborted. @throws Error after five seconds */
async function untilAborted(system: TestSystem, requestId: string): Promise<void> {
  const deadline = performance.now() + 5000
  for (;;) {
    const [request] = await recordedRequests(system, requestId)
    if (request?.abortedAtMs != null) return
    if (request?.finishedAtMs != null) throw new Error('the upstream call was not aborted: it finished')
    if (performance.now() > deadline) throw new Error('the upstream call is still running')
  }
}

function retries(
  t: Journeys,
  { OpenAI }: OpenaiKit,
  openai: OpenAITypes,
  { system, baseURL, apiKey, misbehaving }: ClientAccess
): void {
  t.test(['retries'], 'clients do not notice an upstream that fails every second time', async () => {
    for (const attempt of [1, 2]) {
      const answer = await openai.chat.completions.create({ ...question, model: misbehaving['fails-every-second'] })
      assert.equal(answer.choices[0]!.finish_reason, 'stop', `request ${attempt}`)
    }
  })

  t.test(['retries'], 'the SDK’s default retries succeed where the gateway does not retry', async () => {
    const asking = { ...question, model: misbehaving['asks-to-wait'] }
    const failure = await failureOf(OpenAI, openai.chat.completions.create(asking))
    assert.deepEqual([failure?.status, failure?.code], [502, 'upstream_error'])
    const retrying = new OpenAI({ baseURL, apiKey })
    for (const attempt of [1, 2]) {
      const answer = await retrying.chat.completions.create(asking)
      assert.equal(answer.choices[0]!.finish_reason, 'stop', `request ${attempt}`)
    }
    const calls = (await recordedRequests(system)).filter(({ model }) => model?.startsWith(`${asking.model}+`))
    assert.deepEqual(
      calls.map(({ status }) => status),
      [503, 200, 503, 200]
    )
  })
}
