import { chatKinds } from './chat-kinds.ts'
import {
  type Ask,
  type Changes,
  type Kind,
  kindOf,
  longText,
  marker,
  oddUsages,
  some,
  streamed,
  wholeAndStreamed,
  words
} from './kind.ts'
import { messagesKinds } from './messages-kinds.ts'
import { responsesKinds } from './responses-kinds.ts'
import { searchKinds } from './search-kinds.ts'

const compaction = (name: string, body: Ask = () => ({}), changes: Changes = {}): Kind =>
  kindOf('compact', name, (random) => ({ model: 'priced', input: words(random, 60), ...body(random) }), changes)

/** A request whose input tells the model server what to do. */
const telling =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    input: `${marker(...directives)} ${words(random, 40)}`
  })

const conversation = [
  { role: 'user', content: 'How is the weather?' },
  { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Sunny, 31 °C' },
  { role: 'assistant', content: 'Sunny and hot.' }
]
const rare = { weight: 0.5 }
const unreported = { ...rare, isReported: false }

/** Conversations that the model writes shorter. Their answers are never streamed. */
const compactKinds: readonly Kind[] = [
  compaction('a text'),
  compaction('a conversation', () => ({ input: conversation, instructions: 'Keep the city.' })),
  compaction('a long conversation', (random) => ({ input: longText(random) })),
  compaction('a stored response', (random) => ({ input: words(random, 60) }), { continues: true }),
  compaction('reasoning', () => ({ model: 'priced-thinking' })),
  compaction('cached and written', (random) => ({
    ...telling('cached-tokens=9', 'cache-write-tokens=7', 'cache-write-long-tokens=5')(random),
    prompt_cache_options: { ttl: '12h' }
  })),
  compaction('flex', () => ({ service_tier: 'flex' })),
  compaction('usage not reported', telling('no-usage'), unreported),
  ...oddUsages.map((odd) => compaction(`usage ${odd}`, telling(`odd-usage=${odd}`), unreported)),
  compaction('upstream that fails', () => ({ model: 'priced-failing' }), rare),
  compaction('upstream that refuses', () => ({ model: 'refusing' }), rare),
  compaction('broken in the middle', () => ({ model: 'broken' }), rare),
  compaction('no answer in time', () => ({ model: 'hanging' }), { weight: 0.2 }),
  compaction('hang-up before the answer', () => ({ model: 'slow' }), { reading: 'hangs up before the answer' })
]

const completion = (name: string, more: Ask): Kind =>
  kindOf('completions', name, (random) => ({
    model: 'writer',
    prompt: words(random, 60),
    max_tokens: some(random, 80),
    ...more(random)
  }))

const embedding = (name: string, input: Ask): Kind =>
  kindOf('embeddings', name, (random) => ({ model: 'embedder', dimensions: 16, ...input(random) }), { weight: 1 })

const completionKinds: readonly Kind[] = [
  completion('completion', () => ({})),
  completion('completion, streamed', streamed),
  completion('several prompts', (random) => ({ prompt: [words(random, 30), words(random, 30)], n: 2 })),
  completion('best of several', () => ({ best_of: 3 })),
  completion('a later, lower report, streamed', (random) => ({
    prompt: `${marker('odd-answer=lower-report')} ${words(random, 60)}`,
    stream: true
  })),
  ...[true, false].map((stream) =>
    kindOf(
      'completions',
      `words of another name, usage not reported${stream ? ', streamed' : ''}`,
      (random) => ({
        model: 'writer',
        prompt: `${marker('odd-answer=other-name', 'no-usage')} ${words(random, 60)}`,
        max_tokens: some(random, 80),
        stream
      }),
      { isReported: false, weight: 0.5 }
    )
  ),
  completion('tokens', () => ({ prompt: [9906, 1917], echo: true })),
  embedding('a text', (random) => ({ input: words(random, 1000) })),
  embedding('several texts', (random) => ({ input: [words(random, 9), words(random, 9)] })),
  embedding('tokens', () => ({ input: [9906, 1917], encoding_format: 'base64' }))
]

const repeats = { repeats: true, weight: 1 } as const

const both = (api: Kind['api'], name: string, body: Ask, changes: Changes = {}): Kind[] =>
  wholeAndStreamed((full, members, all) => kindOf(api, full, members, all), name, body, { ...repeats, ...changes })

const hangUp = { reading: 'hangs up before the answer' } as const
const chat: Ask = (random) => ({ model: 'priced', messages: [{ role: 'user', content: words(random, 60) }] })
const response: Ask = (random) => ({ model: 'priced', store: false, input: words(random, 60) })
const message: Ask = (random) => ({
  model: 'priced-messages',
  max_tokens: 400,
  messages: [{ role: 'user', content: words(random, 60) }]
})

/** Requests that are sent several times with the same `Idempotency-Key`. Their model answers each of them once. */
const repeatKinds: readonly Kind[] = [
  ...both('chat', 'repeated', chat),
  ...both('chat', 'repeated after a hang-up', (random) => ({ ...chat(random), model: 'slow' }), hangUp),
  ...both('chat', 'repeated, with reasoning', (random) => ({ ...chat(random), model: 'priced-thinking' })),
  ...both('completions', 'repeated', (random) => ({ model: 'writer', prompt: words(random, 60), max_tokens: 80 })),
  kindOf('embeddings', 'repeated', (random) => ({ model: 'embedder', input: words(random, 60) }), repeats),
  ...both('responses', 'repeated', response),
  ...both('responses', 'repeated, with searches', (random) => ({
    ...response(random),
    tools: [{ type: 'web_search' }],
    input: `${marker('searches=2')} ${words(random, 20)}`
  })),
  ...both('messages', 'repeated', message),
  ...both('messages', 'repeated after a hang-up', message, hangUp),
  kindOf('compact', 'repeated', (random) => ({ model: 'priced', input: words(random, 60) }), repeats)
]

export const kinds: readonly Kind[] = [
  ...chatKinds,
  ...completionKinds,
  ...responsesKinds,
  ...messagesKinds,
  ...searchKinds,
  ...compactKinds,
  ...repeatKinds
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
