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
  streamed,
  weatherArguments,
  weatherTool,
  wholeAndStreamed,
  words
} from './kind.ts'

function message(name: string, model: string, more: Ask = () => ({}), changes: Changes = {}): Kind {
  const body: Ask = (random) => ({
    model,
    max_tokens: 400,
    system: 'Be brief. 😀 Ünïcödé too.',
    messages: [{ role: 'user', content: [{ type: 'text', text: words(random, 60) }] }],
    ...more(random)
  })
  return kindOf('messages', name, body, changes)
}

const both = (name: string, model: string, more?: Ask, changes?: Changes): Kind[] =>
  wholeAndStreamed((full, members, all) => message(full, model, members, all), name, more, changes)

const hungUp = (name: string, model: string, more: Ask = streamed): Kind[] =>
  hangUps((full, changes) => message(full, model, more, changes), name)

const ask = (content: string) => ({ messages: [{ role: 'user', content }] })
/** A request whose prompt tells the model server what to do. */
const telling =
  (...directives: readonly string[]): Ask =>
  (random) =>
    ask(`${marker(...directives)} ${words(random, 40)}`)
const billing =
  (...directives: readonly string[]): Ask =>
  (random) =>
    ask(`${marker(...directives)} ${longText(random)} ${words(random, 40)}`)

/** A prompt that is cached up to its system text, which several requests share, and often up to its last block. */
const caching =
  (ttl: '5m' | '1h'): Ask =>
  (random) => ({
    system: [{ type: 'text', text: longText(random), cache_control: { type: 'ephemeral', ttl } }],
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: words(random, 9),
            ...(random() < 0.5 && { cache_control: { type: 'ephemeral' } })
          }
        ]
      }
    ]
  })

const tools = { tools: [{ ...weatherTool, input_schema: weatherArguments }] }
const called = [
  { role: 'user', content: 'How is the weather?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rome' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny, 31 °C' }] }
]
const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 }
const rare = { weight: 0.5 }
const unreported = { ...rare, isReported: false }
const sixtyWords = ask('Say 60 words.')
const unknownWords = telling('odd-answer=other-name', 'no-usage')

export const messagesKinds: readonly Kind[] = [
  ...both('a text', 'priced-messages', () => ({}), { weight: 4 }),
  ...both('a limit', 'priced-messages', (random) => ({ max_tokens: some(random, 40) })),
  ...both('a tool', 'priced-messages', () => ({ ...tools, tool_choice: { type: 'any' } })),
  ...both("a tool's result", 'priced-messages', () => ({ ...tools, messages: called })),
  ...both('JSON', 'priced-messages', () => ({
    output_config: { format: { type: 'json_schema', schema: weatherArguments } }
  })),
  ...both('thinking', 'priced-messages', () => thinking),
  ...both('thinking of a model that hides it', 'priced-thinking'),
  ...both('a picture', 'priced-messages', (random) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: words(random, 20) },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture(random) } }
        ]
      }
    ]
  })),
  ...both('long prompt', 'priced-messages', billing('pace-ms=1')),
  ...both('cached for five minutes', 'priced-messages', caching('5m'), { weight: 4 }),
  ...both('cached for an hour', 'priced-messages', caching('1h'), { weight: 4 }),
  ...both('cached and written', 'priced-messages', (random) => ({
    ...billing('cached-tokens=31', 'cache-write-tokens=47', 'cache-write-long-tokens=23')(random),
    cache_control: { type: 'ephemeral', ttl: '1h' }
  })),
  ...both('priority', 'priced-messages', telling('tier=priority')),
  ...both('only the standard tier', 'priced-messages', (random) => ({
    ...telling('tier=priority')(random),
    service_tier: 'standard_only'
  })),
  ...both('usage not reported', 'priced-messages', telling('no-usage'), unreported),
  ...both('thinking, usage not reported', 'priced-thinking', telling('no-usage'), unreported),
  ...oddUsages.flatMap((kind) => [
    ...both(`usage ${kind}`, 'priced-messages', telling(`odd-usage=${kind}`), unreported),
    ...both(`thinking, usage ${kind}`, 'priced-thinking', telling(`odd-usage=${kind}`), unreported)
  ]),
  ...both('a later, lower report', 'priced-messages', telling('odd-answer=lower-report'), rare),
  ...both('a refusal', 'priced-messages', telling('odd-answer=refused'), rare),
  ...both('words of another name', 'priced-messages', telling('odd-answer=other-name'), rare),
  ...both('words of another name, usage not reported', 'priced-messages', unknownWords, unreported),
  message('upstream that fails', 'failing', () => ({}), rare),
  message('upstream that resets, streamed', 'resetting', streamed, rare),
  message('upstream that refuses', 'refusing', () => ({}), rare),
  message('upstream that fails now and then', 'flaky'),
  ...both('broken in the middle', 'broken', () => sixtyWords, rare),
  message('ended in the middle, streamed', 'ending', () => ({ ...sixtyWords, stream: true }), rare),
  ...both('error in the middle', 'erring', () => sixtyWords, rare),
  ...both('no answer in time', 'hanging', () => ({}), { weight: 0.2 }),
  message('no end in time, streamed', 'stalling', streamed, { weight: 0.2 }),
  message('hang-up before the answer', 'slow', () => ({}), { reading: 'hangs up before the answer' }),
  ...hungUp('ordinary', 'paced'),
  ...hungUp('every price', 'priced-messages'),
  ...hungUp('cached for an hour', 'priced-messages', (random) => ({ ...caching('1h')(random), stream: true })),
  ...hungUp('priority', 'priced-messages', (random) => ({ ...telling('tier=priority')(random), stream: true })),
  ...hungUp('a tool', 'priced-messages', () => ({ ...tools, tool_choice: { type: 'any' }, stream: true })),
  ...hungUp('thinking', 'priced-messages', () => ({ ...thinking, stream: true })),
  ...hungUp('every price, thinking', 'priced-thinking'),
  ...hungUp('every price, billed after a hang-up', 'priced-billed'),
  ...hungUp('without a tokenizer', 'uncounted'),
  kindOf('messages', 'count the prompt', (random) => ({ model: 'priced-messages', ...ask(longText(random)) }), {
    path: '/messages/count_tokens',
    isFree: true
  })
]
