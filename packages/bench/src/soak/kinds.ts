import assert from 'node:assert/strict'
import { once } from 'node:events'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { embed } from '@tollgate/sandbox/models/write-text.ts'
import {
  assertBrokenStream,
  assertError,
  assertStream,
  assertWhole,
  newPrompt,
  type SoakAnswer,
  type SoakClient,
  type TextEndpoint
} from './answers.ts'
import { brokenAfter, type Failure, hiddenFailures, modelName, soakCatalog } from './catalog.ts'

export type Outcome = 'right answer' | 'expected error' | 'hung up'

/** The helpers of a kind of request. */
export interface SoakContext {
  client: SoakClient
  /** Whether the upstream saw a client leave before the answer was complete, within a few seconds. */
  wasLeft(requestId: string): Promise<boolean>
}

/** One kind of request. */
export interface Kind {
  name: string
  /** The upstream's failure; null: none. */
  failure: Failure | null
  /** The relative share of all requests. */
  weight: number
  /** Sends one request and checks its answer. @throws on any other answer */
  run(context: SoakContext): Promise<Outcome>
}

const paths = { chat: '/v1/chat/completions', completion: '/v1/completions', embedding: '/v1/embeddings' }
const maxWords = 60

function question(endpoint: TextEndpoint, prompt: string): object {
  return endpoint === 'chat'
    ? { messages: [{ role: 'user', content: prompt }] }
    : { prompt, max_tokens: 2 * maxWords, temperature: 0 }
}

/** The body of an answer. Asserts its status. */
async function bodyOf({ status, body }: SoakAnswer, expected: number): Promise<string> {
  const text = await body.text()
  assert.equal(status, expected, text)
  return text
}

const someWords = () => 1 + Math.floor(Math.random() * maxWords)

function whole(endpoint: TextEndpoint, failure: Failure | null) {
  return async ({ client }: SoakContext): Promise<Outcome> => {
    const words = someWords()
    const { prompt, text } = newPrompt(endpoint, words)
    const model = modelName(endpoint, failure)
    const answer = await client.ask(paths[endpoint], { model, ...question(endpoint, prompt) })
    assertWhole(await bodyOf(answer, 200), endpoint, text, words)
    return 'right answer'
  }
}

function stream(endpoint: TextEndpoint, failure: Failure | null) {
  return async ({ client }: SoakContext): Promise<Outcome> => {
    const isBroken = failure === 'reset in the middle'
    const words = isBroken ? maxWords : someWords()
    const { prompt, text } = newPrompt(endpoint, words)
    const usage = Math.random() < 0.5
    const answer = await client.ask(paths[endpoint], {
      model: modelName(endpoint, failure),
      stream: true,
      ...(usage ? { stream_options: { include_usage: true } } : {}),
      ...question(endpoint, prompt)
    })
    const body = await bodyOf(answer, 200)
    if (!isBroken) {
      assertStream(body, endpoint, { text, words, usage })
      return 'right answer'
    }
    assertBrokenStream(body, text, brokenAfter)
    return 'expected error'
  }
}

function embeddings(failure: Failure | null) {
  return async ({ client }: SoakContext): Promise<Outcome> => {
    const input = [`one ${Math.random()}`, `two ${Math.random()}`]
    const asFloats = Math.random() < 0.5
    const answer = await client.ask(paths.embedding, {
      model: modelName('embedding', failure),
      input,
      dimensions: 64,
      encoding_format: asFloats ? 'float' : 'base64'
    })
    const { object, data } = JSON.parse(await bodyOf(answer, 200))
    assert.equal(object, 'list')
    const vectors = data.map(({ embedding }: { embedding: number[] | string }) =>
      typeof embedding === 'string' ? floatsOf(embedding) : embedding
    )
    assert.deepEqual(
      vectors,
      input.map((text) => [...embed(text, 64)])
    )
    return 'right answer'
  }
}

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

async function listModels({ client }: SoakContext): Promise<Outcome> {
  const { data } = JSON.parse(await bodyOf(await client.ask('/v1/models'), 200))
  assert.deepEqual(data.map(({ id }: { id: string }) => id).toSorted(), Object.keys(soakCatalog.models).toSorted())
  return 'right answer'
}

async function leaveStream({ client, wasLeft }: SoakContext): Promise<Outcome> {
  const { prompt } = newPrompt('chat', 1000)
  const body = { model: modelName('endless'), stream: true, ...question('chat', prompt) }
  const answer = await client.ask(paths.chat, body)
  assert.equal(answer.status, 200)
  answer.body.on('error', () => {}) // Leaving the stream is an error of the body.
  await once(answer.body, 'data')
  answer.body.destroy()
  assert.ok(await wasLeft(answer.requestId), 'the upstream call ends when the client leaves a stream')
  return 'hung up'
}

/** Leaves before the answer. The gateway still reads the upstream's answer to its end, for its usage. */
async function leaveBeforeAnswer({ client }: SoakContext): Promise<Outcome> {
  const { prompt } = newPrompt('chat', 1)
  const signal = AbortSignal.timeout(Math.ceil(Math.random() * 100))
  const left = client.ask(paths.chat, { model: modelName('slow'), ...question('chat', prompt) }, { signal })
  await assert.rejects(left, { name: 'TimeoutError' })
  return 'hung up'
}

/** Half of the keys are well-formed but unknown, half are malformed. Each comes from another address. */
async function useWrongKey({ client }: SoakContext): Promise<Outcome> {
  const apiKey = Math.random() < 0.5 ? generateSecret('inference') : `sk-${Math.random()}`
  const address = `10.${[256, 256, 256].map((count) => Math.floor(Math.random() * count)).join('.')}`
  const body = { model: modelName('chat'), ...question('chat', newPrompt('chat', 1).prompt) }
  const answer = await client.ask(paths.chat, body, { apiKey, address })
  assertError(await bodyOf(answer, 401), 'invalid_api_key')
  return 'expected error'
}

async function sendBrokenJson({ client }: SoakContext): Promise<Outcome> {
  assertError(await bodyOf(await client.ask(paths.chat, '{"model":"chat","messages":['), 400), 'invalid_json')
  return 'expected error'
}

/** A request that the gateway passes on and the upstream refuses, because only the upstream checks roles. */
async function sendUnknownRole({ client }: SoakContext): Promise<Outcome> {
  const body = { model: modelName('chat'), messages: [{ role: 'robot', content: 'Hello' }] }
  const text = await bodyOf(await client.ask(paths.chat, body), 400)
  assertError(text, 'invalid_value')
  assert.match(text, /messages\.0\.role/, 'in the words of the upstream')
  return 'expected error'
}

/** The probability that a request meets a failing upstream. */
const failingShare = 0.05

function failingKinds(): Kind[] {
  const kinds: Array<Omit<Kind, 'weight'>> = []
  for (const failure of hiddenFailures) {
    for (const endpoint of ['chat', 'completion'] as const) {
      kinds.push({ name: `${endpoint}, whole`, failure, run: whole(endpoint, failure) })
      kinds.push({ name: `${endpoint}, stream`, failure, run: stream(endpoint, failure) })
    }
    kinds.push({ name: 'embeddings', failure, run: embeddings(failure) })
  }
  const failure = 'reset in the middle'
  for (const endpoint of ['chat', 'completion'] as const) {
    kinds.push({ name: `${endpoint}, stream`, failure, run: stream(endpoint, failure) })
  }
  const weight = (failingShare * 100) / kinds.length
  return kinds.map((kind) => ({ ...kind, weight }))
}

/** All kinds; their weights are percentages. */
export const kinds: readonly Kind[] = [
  { name: 'chat, whole', failure: null, weight: 34, run: whole('chat', null) },
  { name: 'chat, stream', failure: null, weight: 24, run: stream('chat', null) },
  { name: 'completion, whole', failure: null, weight: 8, run: whole('completion', null) },
  { name: 'completion, stream', failure: null, weight: 6, run: stream('completion', null) },
  { name: 'embeddings', failure: null, weight: 11, run: embeddings(null) },
  { name: 'models', failure: null, weight: 4, run: listModels },
  { name: 'leaves a stream', failure: null, weight: 3, run: leaveStream },
  { name: 'leaves before the answer', failure: null, weight: 1, run: leaveBeforeAnswer },
  { name: 'wrong key', failure: null, weight: 2, run: useWrongKey },
  { name: 'broken JSON', failure: null, weight: 1, run: sendBrokenJson },
  { name: 'refused by the upstream', failure: null, weight: 1, run: sendUnknownRole },
  ...failingKinds()
]
