import { type Ask, type Changes, type Kind, kindOf, marker, wholeAndStreamed, words } from './kind.ts'

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
export const repeatKinds: readonly Kind[] = [
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
