import { countTokens } from '@tollgate/contracts/tokens/tokenize.ts'
import t from 'tap'
import { type Countable, estimateUsage } from './estimate-usage.ts'
import { createUsageEstimator } from './usage-estimator.ts'

const counted = (request: unknown, answer: string, isStream: boolean, share = 1) =>
  estimateUsage({
    request: Buffer.from(typeof request === 'string' ? request : JSON.stringify(request)),
    answer: Buffer.from(answer),
    isStream,
    share
  })

t.test('words that came in pieces are counted as the text that they are', async (t) => {
  const text = 'Internationalization, of all things: 12345 and ünïcödé 🎉'
  const lines = [...text].map((content) => JSON.stringify({ role: 'assistant', content })).join('\n')
  const { completionTokens, estimated } = counted({ messages: [] }, `${lines}\n{}\n`, true)
  t.equal(completionTokens, countTokens(text))
  t.ok(estimated)
  t.equal(counted({ messages: [] }, `${lines}\n`, true, 0.5).completionTokens, 2 * countTokens(text))
  t.equal(counted({ prompt: 'x' }, '"Hello "\n"world"\n', true).completionTokens, countTokens('Hello world'))
})

t.test(
  'words of several answers that came in turn are counted for each answer, and tool calls for each call',
  async (t) => {
    const texts = ['Internationalization', 'Hello world, and more of it', 'unbelievably']
    const choices = (member: string, wrap: (text: string) => unknown) =>
      [...texts.keys()].flatMap((index) =>
        [...texts[index]!].map((letter, at) => ({ at, line: [{ index, [member]: wrap(letter), logprobs: null }] }))
      )
    const lines = (events: Array<{ at: number; line: unknown }>) =>
      events
        .toSorted((one, other) => one.at - other.at)
        .map(({ line }) => JSON.stringify(line))
        .join('\n')
    const expected = texts.reduce((sum, text) => sum + countTokens(text), 0)
    const ofChat = lines(choices('delta', (content) => ({ role: 'assistant', content })))
    t.equal(counted({ messages: [] }, `${ofChat}\n[]\n`, true).completionTokens, expected)
    t.equal(counted({ prompt: [] }, lines(choices('text', (text) => text)), true).completionTokens, expected)

    const call = (index: number, letter: string) => ({ tool_calls: [{ index, function: { arguments: letter } }] })
    const ofTools = texts.flatMap((text, index) => [...text].map((letter) => JSON.stringify(call(index, letter))))
    t.equal(counted({ messages: [] }, ofTools.join('\n'), true).completionTokens, expected)
  }
)

t.test('tool calls, reasoning and several choices count, names of roles do not', async (t) => {
  const answer = {
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          reasoning_content: 'think',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } }]
        }
      },
      { message: { role: 'assistant', content: 'Hello world' } }
    ]
  }
  const expected = ['think', 'find', '{"a":1}', 'Hello world'].reduce((sum, text) => sum + countTokens(text), 0)
  t.equal(counted({ messages: [] }, JSON.stringify(answer), false).completionTokens, expected)
})

t.test('a prompt counts with its messages, tools, images and audio, in every form that inputs have', async (t) => {
  const plain = counted({ messages: [{ role: 'user', content: 'Hello world' }] }, '', true).promptTokens
  t.equal(plain, countTokens('Hello world') + countTokens('user') + 3 + 3)
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } }
  const parts = [{ type: 'text', text: 'Hello world' }, image]
  t.equal(counted({ messages: [{ role: 'user', content: parts }] }, '', true).promptTokens, plain + 765)
  for (const [input, tokens] of [
    ['Hello world', 2],
    [['Hello world', 'Hello'], 3],
    [[1, 2, 3], 3],
    [[[1], [2, 3]], 3]
  ] as const) {
    t.equal(counted({ input }, '', false).promptTokens, tokens)
    t.equal(counted({ prompt: input }, '', false).promptTokens, tokens)
  }
})

t.test('what is not JSON is taken from its size, and nothing can stop the counting', async (t) => {
  t.equal(counted('{', 'x'.repeat(400), false).completionTokens, 100)
  const errors: unknown[] = []
  const estimator = createUsageEstimator((error) => errors.push(error))
  t.teardown(() => estimator.close())
  const countable: Countable = {
    request: Buffer.from('{"input":"a b c"}'),
    answer: Buffer.alloc(0),
    isStream: true,
    share: 1
  }
  t.equal((await estimator.estimate(countable)).promptTokens, 3)
  const uncloneable = { ...countable, share: (() => 1) as never }
  t.equal((await estimator.estimate(uncloneable)).estimated, true)
  t.equal(errors.length, 1)
})
