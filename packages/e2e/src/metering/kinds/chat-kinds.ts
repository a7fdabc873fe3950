import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { chatModel, completionModel, embeddingModel } from './catalog.ts'

/** The kinds of invalid token counts that the model server can report. */
const oddUsages = ['missing', 'null', 'text', 'fraction', 'negative', 'zero', 'none'] as const

function counted(name: string, upstream?: string): Catalog['models'][string] {
  return { ...chatModel(name, upstream), tokenizer: 'o200k_base' }
}

function reasoning(name: string): Catalog['models'][string] {
  return { ...counted(name), hidesOutput: true }
}

/** Catalog name → model. The upstream name tells the model server how to behave. */
export const meteredModels: Catalog['models'] = {
  chat: chatModel('x'),
  slow: chatModel('x+first-byte-ms=100'),
  paced: counted('x+pace-ms=5'),
  uncounted: chatModel('x+pace-ms=5'),
  cached: chatModel('x+cached-tokens=7'),
  thinking: reasoning('x+reasoning-tokens=20'),
  pondering: reasoning('x+reasoning-tokens=600+think-ms=60+pace-ms=5'),
  outside: reasoning('x+reasoning-tokens=300+odd-usage=outside'),
  billed: counted('x+bills-aborted+pace-ms=5', 'billing'),
  listening: { ...counted('x+pace-ms=5'), audio: { tokensPerSecond: 10 } },
  silent: chatModel('x+no-usage'),
  ...Object.fromEntries(oddUsages.map((kind) => [`odd-${kind}`, counted(`x+odd-usage=${kind}`)])),
  ...Object.fromEntries(
    oddUsages.map((kind) => [`thinking-${kind}`, reasoning(`x+reasoning-tokens=300+odd-usage=${kind}`)])
  ),
  broken: chatModel('x+reset-after=6'),
  hanging: chatModel('x+hang'),
  stalling: chatModel('x+stall-after=6'),
  refusing: chatModel('x+status=400'),
  writer: completionModel('x'),
  embedder: embeddingModel('x'),
  failing: chatModel('x+status=500', 'failing'),
  resetting: chatModel('x+reset-after=0', 'failing'),
  flaky: chatModel('x+status=503+every=8', 'flaky')
}

/** When a client stops reading. The finish of a stream comes before its usage. */
export type Reading =
  | 'whole'
  | 'hangs up before the answer'
  | 'hangs up at random'
  | 'hangs up at a word'
  | 'hangs up at the finish'

export interface Kind {
  name: string
  path: '/chat/completions' | '/completions' | '/embeddings'
  /** Its share of all requests, relative to other kinds. */
  weight: number
  reading: Reading
  body: (random: () => number) => Record<string, unknown>
}

const words = (random: () => number, max: number): string => `Say ${1 + Math.floor(random() * max)} words.`
const some = (random: () => number, max: number): number => 1 + Math.floor(random() * max)

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city']
    }
  }
}

type Ask = (random: () => number) => Record<string, unknown>
type Changes = Partial<Pick<Kind, 'weight' | 'reading'>>

function chat(name: string, model: string, more: Ask = () => ({}), changes: Changes = {}): Kind {
  return {
    name,
    path: '/chat/completions',
    weight: 2,
    reading: 'whole',
    ...changes,
    body: (random) => ({
      model,
      messages: [
        { role: 'system', content: 'Be brief. 😀 Ünïcödé too.' },
        { role: 'user', content: words(random, 60) }
      ],
      ...more(random)
    })
  }
}

function completion(name: string, more: Ask): Kind {
  return {
    name,
    path: '/completions',
    weight: 2,
    reading: 'whole',
    body: (random) => ({ model: 'writer', prompt: words(random, 60), max_tokens: some(random, 80), ...more(random) })
  }
}

function embedding(name: string, input: Ask): Kind {
  const body: Ask = (random) => ({ model: 'embedder', dimensions: 16, ...input(random) })
  return { name, path: '/embeddings', weight: 1, reading: 'whole', body }
}

const streamed: Ask = () => ({ stream: true })

/** Seconds of silence as a WAV file: 8 bit, 8 kHz. */
export const spoken: Ask = (random) => {
  const sound = Buffer.alloc(44 + 8000 * some(random, 15), 0x80)
  sound.write('RIFF')
  sound.writeUInt32LE(sound.length - 8, 4)
  sound.write('WAVEfmt ', 8)
  sound.writeUInt32LE(16, 16)
  sound.writeUInt16LE(1, 20)
  sound.writeUInt16LE(1, 22)
  sound.writeUInt32LE(8000, 24)
  sound.writeUInt32LE(8000, 28)
  sound.writeUInt16LE(1, 32)
  sound.writeUInt16LE(8, 34)
  sound.write('data', 36)
  sound.writeUInt32LE(sound.length - 44, 40)
  const input_audio = { data: sound.toString('base64'), format: 'wav' }
  return { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }], stream: true }
}

/** The four moments at which clients hang up on a stream. */
function hangUps(name: string, model: string, more: Ask = streamed): Kind[] {
  const readings: Reading[] = [
    'hangs up before the answer',
    'hangs up at a word',
    'hangs up at random',
    'hangs up at the finish'
  ]
  return readings.map((reading) => chat(`${name}, ${reading}`, model, more, { reading, weight: 1 }))
}

export const kinds: readonly Kind[] = [
  chat('chat', 'chat', () => ({}), { weight: 6 }),
  chat('chat with a limit', 'chat', (random) => ({ max_tokens: some(random, 40) })),
  chat('chat, streamed', 'chat', streamed, { weight: 6 }),
  chat('chat, streamed with its usage', 'chat', () => ({ stream: true, stream_options: { include_usage: true } })),
  chat('several answers', 'chat', (random) => ({ n: 1 + some(random, 3) })),
  chat('several answers, streamed', 'chat', (random) => ({ n: 1 + some(random, 3), stream: true })),
  chat('a tool', 'chat', () => ({ tools: [weather], tool_choice: 'required' })),
  chat('a tool, streamed', 'chat', () => ({ tools: [weather], tool_choice: 'required', stream: true })),
  chat('JSON', 'chat', () => ({ response_format: { type: 'json_object' } })),
  chat('cached tokens', 'cached'),
  chat('cached tokens, streamed', 'cached', streamed),
  chat('reasoning', 'thinking'),
  chat('reasoning, streamed', 'thinking', streamed),
  chat('usage not reported', 'silent'),
  chat('usage not reported, streamed', 'silent', streamed),
  completion('completion', () => ({})),
  completion('completion, streamed', streamed),
  completion('several prompts', (random) => ({ prompt: [words(random, 30), words(random, 30)], n: 2 })),
  completion('best of several', () => ({ best_of: 3 })),
  completion('completion of tokens', () => ({ prompt: [9906, 1917], echo: true })),
  embedding('embedding', (random) => ({ input: words(random, 1000) })),
  embedding('embeddings of several texts', (random) => ({ input: [words(random, 9), words(random, 9)] })),
  embedding('embedding of tokens', () => ({ input: [9906, 1917], encoding_format: 'base64' })),
  chat('upstream that fails', 'failing', () => ({}), { weight: 1 }),
  chat('upstream that resets, streamed', 'resetting', streamed, { weight: 1 }),
  chat('upstream that refuses', 'refusing', () => ({}), { weight: 1 }),
  chat('upstream that fails now and then', 'flaky'),
  chat('broken in the middle', 'broken', () => ({ messages: [{ role: 'user', content: 'Say 60 words.' }] })),
  chat('broken in the middle, streamed', 'broken', () => ({
    messages: [{ role: 'user', content: 'Say 60 words.' }],
    stream: true
  })),
  chat('no answer in time', 'hanging', () => ({}), { weight: 0.3 }),
  chat('no answer in time, streamed', 'hanging', streamed, { weight: 0.3 }),
  chat('no end in time, streamed', 'stalling', streamed, { weight: 0.3 }),
  chat('hang-up without an answer, streamed', 'hanging', streamed, {
    reading: 'hangs up before the answer',
    weight: 1
  }),
  chat('hang-up before the answer', 'slow', () => ({}), { reading: 'hangs up before the answer' }),
  chat('hang-up before the answer, streamed', 'slow', streamed, { reading: 'hangs up before the answer', weight: 1 }),
  chat('hang-up within the answer', 'paced', streamed, { reading: 'hangs up at random', weight: 4 }),
  ...hangUps('reasoning', 'pondering'),
  ...hangUps('billed after a hang-up', 'billed'),
  ...hangUps('ordinary', 'paced'),
  ...hangUps('without a tokenizer', 'uncounted'),
  ...hangUps('audio', 'listening', spoken).map((kind) => ({ ...kind, weight: 0.3 })),
  chat('reasoning outside the completion', 'outside'),
  chat('reasoning outside the completion, streamed', 'outside', streamed),
  ...oddUsages.flatMap((kind) => [
    chat(`usage ${kind}`, `odd-${kind}`, () => ({}), { weight: 0.5 }),
    chat(`usage ${kind}, streamed`, `odd-${kind}`, streamed, { weight: 0.5 }),
    chat(`reasoning, usage ${kind}`, `thinking-${kind}`, () => ({}), { weight: 0.5 }),
    chat(`reasoning, usage ${kind}, streamed`, `thinking-${kind}`, streamed, { weight: 0.5 })
  ]),
  chat('several answers, hang-up within', 'paced', () => ({ n: 3, stream: true }), { reading: 'hangs up at random' })
]

/** Chooses a kind by its weight. @param at from 0 to 1 */
export function chooseKind(at: number): Kind {
  let left = at * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds.at(-1)!
}
