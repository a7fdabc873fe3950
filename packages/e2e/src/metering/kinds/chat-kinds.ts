import {
  type Ask,
  type Changes,
  hangUps,
  type Kind,
  kindOf,
  longText,
  marker,
  oddUsages,
  picture,
  some,
  spoken,
  streamed,
  weatherArguments,
  weatherTool,
  wholeAndStreamed,
  words
} from './kind.ts'

function chat(name: string, model: string, more: Ask = () => ({}), changes: Changes = {}): Kind {
  const body: Ask = (random) => ({
    model,
    messages: [
      { role: 'system', content: 'Be brief. 😀 Ünïcödé too.' },
      { role: 'user', content: words(random, 60) }
    ],
    ...more(random)
  })
  return kindOf('chat', name, body, changes)
}

const both = (name: string, model: string, more?: Ask, changes?: Changes): Kind[] =>
  wholeAndStreamed((full, members, all) => chat(full, model, members, all), name, more, changes)

const hungUp = (name: string, model: string, more: Ask = streamed): Kind[] =>
  hangUps((full, changes) => chat(full, model, more, changes), name)

/** A request whose prompt tells the model server what to bill. */
const billing =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    messages: [{ role: 'user', content: `${marker(...directives)} ${longText(random)} ${words(random, 40)}` }]
  })

/** The same with a short prompt. */
const odd =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    messages: [{ role: 'user', content: `${marker(...directives)} ${words(random, 60)}` }]
  })

/** A request for a service tier. */
const tier =
  (requestTier: string | null, served: string | null): Ask =>
  (random) => ({
    messages: [{ role: 'user', content: `${served === null ? '' : marker(`tier=${served}`)} ${words(random, 40)}` }],
    ...(requestTier !== null && { service_tier: requestTier })
  })

const speech = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } }
/** A request for an answer with audio. */
const speaking =
  (...directives: readonly string[]) =>
  (random: () => number) => ({
    ...speech,
    messages: [{ role: 'user', content: `${marker(...directives)} ${words(random, 40)}` }]
  })

const tools = { tools: [{ type: 'function', function: { ...weatherTool, parameters: weatherArguments } }] }
const unreported = { isReported: false, weight: 0.5 }
const sixtyWords = { messages: [{ role: 'user', content: 'Say 60 words.' }] }

export const chatKinds: readonly Kind[] = [
  ...both('chat', 'chat', () => ({}), { weight: 6 }),
  chat('chat with a limit', 'chat', (random) => ({ max_tokens: some(random, 40) })),
  chat('chat, streamed with its usage', 'chat', () => ({ stream: true, stream_options: { include_usage: true } })),
  ...both('several answers', 'chat', (random) => ({ n: 1 + some(random, 3) })),
  ...both('a tool', 'chat', () => ({ ...tools, tool_choice: 'required' })),
  chat('JSON', 'chat', () => ({ response_format: { type: 'json_object' } })),
  ...both('cached tokens', 'cached'),
  ...both('reasoning', 'thinking'),
  ...both('usage not reported', 'silent', () => ({}), { isReported: false }),
  chat('upstream that fails', 'failing', () => ({}), { weight: 1 }),
  chat('upstream that resets, streamed', 'resetting', streamed, { weight: 1 }),
  chat('upstream that refuses', 'refusing', () => ({}), { weight: 1 }),
  chat('upstream that fails now and then', 'flaky'),
  ...both('broken in the middle', 'broken', () => sixtyWords),
  chat('ended in the middle, streamed', 'ending', () => ({ ...sixtyWords, stream: true }), { weight: 1 }),
  ...both('error in the middle', 'erring', () => sixtyWords, { weight: 1 }),
  ...both('no answer in time', 'hanging', () => ({}), { weight: 0.3 }),
  chat('no end in time, streamed', 'stalling', streamed, { weight: 0.3 }),
  chat('hang-up without an answer, streamed', 'hanging', streamed, {
    reading: 'hangs up before the answer',
    weight: 1
  }),
  chat('hang-up before the answer', 'slow', () => ({}), { reading: 'hangs up before the answer' }),
  chat('hang-up before the answer, streamed', 'slow', streamed, { reading: 'hangs up before the answer', weight: 1 }),
  chat('hang-up within the answer', 'paced', streamed, { reading: 'hangs up at random', weight: 4 }),
  ...hungUp('reasoning', 'pondering'),
  ...hungUp('billed after a hang-up', 'billed'),
  ...hungUp('ordinary', 'paced'),
  ...hungUp('without a tokenizer', 'uncounted'),
  ...hungUp('audio', 'listening', spoken).map((kind) => ({ ...kind, weight: 0.3 })),
  ...both('reasoning outside the completion', 'outside'),
  ...oddUsages.flatMap((kind) => [
    ...both(`usage ${kind}`, `odd-${kind}`, () => ({}), unreported),
    ...both(`reasoning, usage ${kind}`, `thinking-${kind}`, () => ({}), unreported)
  ]),
  ...both('a later, lower report', 'chat', odd('odd-answer=lower-report'), { weight: 0.5 }),
  ...both('no choices', 'chat', odd('odd-answer=filtered'), { weight: 0.5 }),
  ...both('words of another name', 'chat', odd('odd-answer=other-name'), { weight: 0.5 }),
  ...both('words of another name, usage not reported', 'paced', odd('odd-answer=other-name', 'no-usage'), unreported),
  ...both('words of another name, without a tokenizer', 'chat', odd('odd-answer=other-name', 'no-usage'), unreported),
  ...both(
    'several answers, words of another name',
    'chat',
    (random) => ({ n: 3, ...odd('odd-answer=other-name', 'no-usage')(random) }),
    unreported
  ),
  chat('several answers, hang-up within', 'paced', () => ({ n: 3, stream: true }), { reading: 'hangs up at random' }),
  ...both('every price', 'priced'),
  ...both('every price, long prompt', 'priced', billing('pace-ms=1')),
  ...both('every price, cached and written', 'priced', billing('cached-tokens=31', 'cache-write-tokens=47')),
  // A chat's usage does not tell for how long.
  ...both('every price, written for long', 'priced', (random) => ({
    ...billing('cached-tokens=31', 'cache-write-long-tokens=47')(random),
    prompt_cache_options: { ttl: '12h' }
  })),
  ...both('every price, audio and images', 'priced', billing('audio-tokens=29', 'image-tokens=37', 'cached-tokens=11')),
  ...both('every price, overlapping kinds', 'priced', billing('image-tokens=900', 'cached-tokens=800')),
  ...both('every price, output of all kinds', 'priced', (random) => ({
    ...billing('reasoning-tokens=13', 'audio-output-tokens=17', 'image-output-tokens=19')(random)
  })),
  ...both('every price, a picture', 'priced', (random) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: words(random, 20) },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture(random)}` } }
        ]
      }
    ]
  })),
  ...both('every price, a recording', 'priced', (random) => ({ messages: spoken(random).messages }), { weight: 0.5 }),
  ...both('a spoken answer', 'priced', speaking('audio-output-tokens=40')),
  ...both('a spoken answer, usage not reported', 'priced', speaking('audio-output-tokens=40', 'no-usage'), unreported),
  ...both('a spoken answer, broken in the middle', 'priced', speaking('audio-output-tokens=40', 'reset-after=6')),
  ...both(
    'a spoken answer to a recording',
    'priced',
    (random) => ({
      ...speech,
      messages: [...spoken(random).messages, ...speaking('audio-output-tokens=40')(random).messages]
    }),
    { weight: 0.5 }
  ),
  ...hungUp('a spoken answer', 'priced', (random) => ({ ...speaking('audio-output-tokens=40')(random), stream: true })),
  ...both('every price, flex', 'priced', tier('flex', null)),
  ...both('every price, priority that was not to be had', 'priced', tier('priority', 'default')),
  ...both('every price, auto', 'priced', tier('auto', 'priority')),
  ...both('every price, a tier that nobody asked for', 'priced', tier(null, 'priority'), {
    weight: 0.5,
    costsMore: true
  }),
  ...hungUp('every price', 'priced'),
  ...hungUp('every price, written to the cache', 'priced', (random) => ({
    messages: [{ role: 'user', content: `${marker('cache-write-tokens=9000')} ${longText(random, 800)}` }],
    stream: true
  })),
  ...hungUp('every price, a recording', 'priced', spoken).map((kind) => ({ ...kind, weight: 0.3 })),
  ...hungUp('every price, flex', 'priced', (random) => ({ ...tier('flex', null)(random), stream: true })),
  ...hungUp('every price, reasoning', 'priced-thinking'),
  ...hungUp('every price, billed after a hang-up', 'priced-billed')
]
