import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { chatModel, completionModel, embeddingModel } from './catalog.ts'

/** The names are those of the catalog; the upstream's say how the model server behaves. */
export const meteredModels: Catalog['models'] = {
  chat: chatModel('x'),
  slow: chatModel('x+first-byte-ms=100'),
  paced: chatModel('x+pace-ms=5'),
  cached: chatModel('x+cached-tokens=7'),
  thinking: chatModel('x+reasoning-tokens=20'),
  silent: chatModel('x+no-usage'),
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

/** How a client takes its answer: whole, or it leaves before it, or after so many parts of a stream. */
export type Reading = 'whole' | 'leaves before' | 'leaves within'

export type Kind = {
  name: string
  path: '/chat/completions' | '/completions' | '/embeddings'
  /** Its share of all requests, relative to those of the others. */
  weight: number
  reading: Reading
  body: (random: () => number) => Record<string, unknown>
}

const words = (random: () => number, most: number): string => `Say ${1 + Math.floor(random() * most)} words.`
const some = (random: () => number, most: number): number => 1 + Math.floor(random() * most)

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
  chat('usage not told', 'silent'),
  chat('usage not told, streamed', 'silent', streamed),
  completion('completion', () => ({})),
  completion('completion, streamed', streamed),
  completion('several prompts', (random) => ({ prompt: [words(random, 30), words(random, 30)], n: 2 })),
  completion('the best of several', () => ({ best_of: 3 })),
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
  chat('left without an answer, streamed', 'hanging', streamed, { reading: 'leaves before', weight: 1 }),
  chat('left before the answer', 'slow', () => ({}), { reading: 'leaves before' }),
  chat('left before the answer, streamed', 'slow', streamed, { reading: 'leaves before', weight: 1 }),
  chat('left within the answer', 'paced', streamed, { reading: 'leaves within', weight: 4 }),
  chat('several answers, left within', 'paced', () => ({ n: 3, stream: true }), { reading: 'leaves within' })
]

/** The kind into whose part of the range from 0 to 1 a number falls. */
export function chooseKind(at: number): Kind {
  let left = at * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds.at(-1)!
}
