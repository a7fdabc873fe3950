import assert from 'node:assert/strict'
import { writeText } from '@tollgate/sandbox/models/write-text.ts'
import { Agent, type Dispatcher, request } from 'undici'

// Checks of answers. Each throws an AssertionError that shows the difference.

export type TextEndpoint = 'chat' | 'completion'

/** A unique prompt, so that the answer to another request is noticed, and the text of its answer. */
export function newPrompt(endpoint: TextEndpoint, words: number): { prompt: string; text: string } {
  const prompt = `Say ${words} words. ${Math.random()}`
  const text = writeText(prompt, 0, null)
  // The model server begins a legacy completion with a space.
  return { prompt, text: endpoint === 'chat' ? text : ` ${text}` }
}

/** Asserts a whole answer of chat or completions, with one choice of this text. */
export function assertWhole(body: string, endpoint: TextEndpoint, text: string, words: number): void {
  const answer = JSON.parse(body)
  assert.equal(answer.object, endpoint === 'chat' ? 'chat.completion' : 'text_completion')
  assert.equal(answer.choices.length, 1)
  assert.equal(textOf(answer.choices[0], 'message'), text)
  assert.equal(answer.choices[0].finish_reason, 'stop')
  assertUsage(answer.usage, words)
}

/** Asserts a complete stream of this text. `usage` says whether the request asked for usage. */
export function assertStream(
  body: string,
  endpoint: TextEndpoint,
  expected: { text: string; words: number; usage: boolean }
): void {
  const events = eventsOf(body)
  assert.equal(events.pop(), '[DONE]')
  const chunks = events.map((event) => JSON.parse(event))
  if (expected.usage) {
    const last = chunks.pop()
    assert.deepEqual(last.choices, [])
    assertUsage(last.usage, expected.words)
  }
  for (const chunk of chunks) {
    assert.equal(chunk.object, endpoint === 'chat' ? 'chat.completion.chunk' : 'text_completion')
    assert.equal(chunk.choices.length, 1)
  }
  assert.equal(chunks.map(({ choices: [choice] }) => textOf(choice, 'delta')).join(''), expected.text)
  assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop')
}

/** Asserts a stream of this many events, which begin this text, and then an error event. */
export function assertBrokenStream(body: string, text: string, events: number): void {
  const all = eventsOf(body)
  const last = all.pop()
  assertError(last ?? '', 'upstream_error')
  assert.equal(all.length, events)
  const begun = all.map((event) => textOf(JSON.parse(event).choices[0], 'delta')).join('')
  assert.ok(begun !== '' && text.startsWith(begun), `"${text}" does not begin with "${begun}"`)
}

/** Asserts an error in the shape of the API, with this code. */
export function assertError(body: string, code: string): void {
  const { error, ...others } = JSON.parse(body)
  assert.deepEqual(others, {})
  assert.equal(error.code, code, body)
  assert.equal(typeof error.message, 'string')
  assert.equal(typeof error.type, 'string')
}

/** The events of a complete stream. Each must be one line of data. Further empty lines are ignored. */
function eventsOf(body: string): string[] {
  assert.ok(body.endsWith('\n\n'), `the stream ends in the middle of an event: ${body.slice(-200)}`)
  const events = body.split(/\n{2,}/).filter((event) => event !== '')
  return events.map((event) => {
    assert.ok(event.startsWith('data: ') && !event.includes('\n'), `an event is one line of data: ${event}`)
    return event.slice('data: '.length)
  })
}

function textOf(choice: Record<string, unknown>, part: 'message' | 'delta'): string {
  const content = choice[part] as { content?: string } | undefined
  return content === undefined ? String(choice.text) : (content.content ?? '')
}

function assertUsage(usage: Record<string, number>, words: number): void {
  assert.equal(usage.completion_tokens, words)
  assert.ok(usage.prompt_tokens! > 0)
  assert.equal(usage.total_tokens, usage.prompt_tokens! + words)
}

/** An answer with status and headers. Its body may still be on its way. */
export interface SoakAnswer {
  status: number
  requestId: string
  body: Dispatcher.ResponseData['body']
}

/** The connections and the key that all clients of a soak share. */
export class SoakClient {
  readonly #url: string
  readonly #apiKey: string
  readonly #agent = new Agent({ connections: null, pipelining: 1 })

  constructor(url: string, apiKey: string) {
    this.#url = url
    this.#apiKey = apiKey
  }

  /**
   * Sends a request: a POST if it has a body. Every answer must have an `x-request-id`.
   *
   * @param body an object is sent as JSON, a string unchanged
   * @param options `address`: the client's address for `X-Forwarded-For`
   */
  async ask(
    path: string,
    body?: object | string,
    options: { apiKey?: string; address?: string; signal?: AbortSignal } = {}
  ): Promise<SoakAnswer> {
    const answer = await request(this.#url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${options.apiKey ?? this.#apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.address === undefined ? {} : { 'x-forwarded-for': options.address })
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      dispatcher: this.#agent,
      ...(options.signal === undefined ? {} : { signal: options.signal })
    })
    const requestId = answer.headers['x-request-id']
    assert.match(String(requestId), /^req_/, 'x-request-id')
    return { status: answer.statusCode, requestId: String(requestId), body: answer.body }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
