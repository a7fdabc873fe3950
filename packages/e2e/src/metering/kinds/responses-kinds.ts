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

function response(name: string, model: string, more: Ask = () => ({}), changes: Changes = {}): Kind {
  const body: Ask = (random) => ({
    model,
    store: false,
    instructions: 'Be brief. 😀 Ünïcödé too.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: words(random, 60) }] }],
    ...more(random)
  })
  return kindOf('responses', name, body, changes)
}

const both = (name: string, model: string, more?: Ask, changes?: Changes): Kind[] =>
  wholeAndStreamed((full, members, all) => response(full, model, members, all), name, more, changes)

const hungUp = (name: string, model: string, more: Ask = streamed): Kind[] =>
  hangUps((full, changes) => response(full, model, more, changes), name)

/** A request whose prompt tells the model server what to do. */
const telling =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    input: `${marker(...directives)} ${words(random, 40)}`
  })
const billing =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    input: `${marker(...directives)} ${longText(random)} ${words(random, 40)}`
  })
const tier =
  (requestTier: string | null, served: string | null): Ask =>
  (random) => ({
    input: `${served === null ? '' : marker(`tier=${served}`)} ${words(random, 40)}`,
    ...(requestTier !== null && { service_tier: requestTier })
  })

const tools = { tools: [{ type: 'function', ...weatherTool, parameters: weatherArguments }] }
const called = [
  { role: 'user', content: 'How is the weather?' },
  { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Sunny, 31 °C' }
]
const rare = { weight: 0.5 }
const unreported = { ...rare, isReported: false }
const sixtyWords = { input: 'Say 60 words.' }

export const responsesKinds: readonly Kind[] = [
  ...both('a text', 'priced', () => ({}), { weight: 4 }),
  ...both('an input that is a text', 'priced', (random) => ({ input: words(random, 60) })),
  ...both('a limit', 'priced', (random) => ({ max_output_tokens: 15 + some(random, 20) })),
  ...both('a tool', 'priced', () => ({ ...tools, tool_choice: 'required' })),
  ...both("a tool's result", 'priced', () => ({ ...tools, input: called })),
  ...both('a custom tool', 'priced', () => ({ tools: [{ type: 'custom', name: 'write' }], tool_choice: 'required' })),
  ...both('JSON', 'priced', () => ({
    text: { format: { type: 'json_schema', name: 'weather', schema: weatherArguments } }
  })),
  ...both('reasoning by effort', 'priced', () => ({ reasoning: { effort: 'high', summary: 'auto' } })),
  ...both('reasoning', 'priced-thinking'),
  ...both('reasoning that reaches the limit', 'priced-thinking', () => ({ max_output_tokens: 50 }), rare),
  ...both('a picture', 'priced', (random) => ({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: words(random, 20) },
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${picture(random)}` }
        ]
      }
    ]
  })),
  ...both('long prompt', 'priced', billing('pace-ms=1')),
  ...both('cached and written', 'priced', (random) => ({
    ...billing('cached-tokens=31', 'cache-write-tokens=47', 'cache-write-long-tokens=23')(random),
    prompt_cache_options: { ttl: '12h' }
  })),
  ...both('flex', 'priced', tier('flex', null)),
  ...both('priority that was not to be had', 'priced', tier('priority', 'default')),
  ...both('auto', 'priced', tier('auto', 'priority')),
  ...both('a tier that nobody asked for', 'priced', tier(null, 'priority'), { ...rare, costsMore: true }),
  ...both('a stored response', 'priced', () => ({ store: true })),
  ...both('a stored response that is continued', 'priced', () => ({ store: true }), { continues: true }),
  ...both('usage not reported', 'priced', telling('no-usage'), unreported),
  ...both('reasoning, usage not reported', 'priced-thinking', telling('no-usage'), unreported),
  ...oddUsages.flatMap((kind) => [
    ...both(`usage ${kind}`, 'priced', telling(`odd-usage=${kind}`), unreported),
    ...both(`reasoning, usage ${kind}`, 'priced-thinking', telling(`odd-usage=${kind}`), unreported)
  ]),
  ...both('reasoning outside the output', 'priced-thinking', telling('odd-usage=outside'), rare),
  response('upstream that fails', 'failing', () => ({}), rare),
  response('upstream that resets, streamed', 'resetting', streamed, rare),
  response('upstream that refuses', 'refusing', () => ({}), rare),
  response('upstream that fails now and then', 'flaky'),
  ...both('broken in the middle', 'broken', () => sixtyWords, rare),
  response('ended in the middle, streamed', 'ending', () => ({ ...sixtyWords, stream: true }), rare),
  ...both('error in the middle', 'erring', () => sixtyWords, rare),
  ...both('failed in the middle', 'priced', telling('fail-after=12'), unreported),
  ...both('failed at once', 'priced', telling('fail-after=2'), unreported),
  ...both('no answer in time', 'hanging', () => ({}), { weight: 0.2 }),
  response('no end in time, streamed', 'stalling', streamed, { weight: 0.2 }),
  response('hang-up before the answer', 'slow', () => ({}), { reading: 'hangs up before the answer' }),
  ...hungUp('ordinary', 'paced'),
  ...hungUp('every price', 'priced'),
  ...hungUp('written to the cache', 'priced', (random) => ({
    input: `${marker('cache-write-tokens=9000')} ${longText(random, 800)}`,
    stream: true
  })),
  ...hungUp('flex', 'priced', (random) => ({ ...tier('flex', null)(random), stream: true })),
  ...hungUp('a tool', 'priced', () => ({ ...tools, tool_choice: 'required', stream: true })),
  ...hungUp('reasoning', 'pondering'),
  ...hungUp('every price, reasoning', 'priced-thinking'),
  ...hungUp('every price, billed after a hang-up', 'priced-billed'),
  ...hungUp('without a tokenizer', 'uncounted'),
  kindOf('responses', 'count the prompt', (random) => ({ model: 'priced', input: longText(random) }), {
    path: '/responses/input_tokens',
    isFree: true
  })
]
