import assert from 'node:assert/strict'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import fc from 'fast-check'
import t from 'tap'
import type { PromptForm } from './count-prompt.ts'
import { type Countable, type Estimate, estimateUsage, type Received } from './estimate-usage.ts'
import { ReceivedText, tokensInTransit } from './received-text.ts'
import { createUsageEstimator } from './usage-estimator.ts'
import { mayHaveWords } from './words.ts'

const stream: Received = { answer: Buffer.alloc(0), isStream: true, unseenBytes: 0, isCut: false }

function estimateOf(answer: string, received: Partial<Received> = {}, more: Partial<Countable> = {}): Estimate {
  return estimateUsage({
    prompt: null,
    received: { ...stream, answer: Buffer.from(answer), ...received },
    answers: 1,
    hasTokenizer: true,
    ...more
  })
}
const output = (...args: Parameters<typeof estimateOf>) => estimateOf(...args).completionTokens
const around = 3
const whole = { isStream: false }

t.test('words that come in pieces are counted as one text', async () => {
  const text = 'Internationalization, of all things: 12345 and ünïcödé 🎉'
  const lines = [...text].map((content) => JSON.stringify({ role: 'assistant', content })).join('\n')
  const tokens = countTokens(text) + around
  assert.equal(output(`${lines}\n{}\n`), tokens)
  assert.equal(output('"Hello "\n"world"\n'), countTokens('Hello world') + around)
  assert.equal(output(`${lines}\n`, { unseenBytes: 50 }), tokens + 50, 'a byte that is not kept counts as a token')
  assert.equal(
    output(`${lines}\n`, {}, { hasTokenizer: false }),
    Buffer.byteLength(text) + around,
    'without a tokenizer, every byte counts as a token'
  )
})

t.test('a cut answer counts more than its received part', async () => {
  assert.equal(output('"Hello"\n', { isCut: true }), countTokens('Hello') + around + tokensInTransit)
  assert.equal(output('', { isCut: true }, { answers: 3 }), 3 * tokensInTransit, 'before its first word, too')
  assert.ok(output('{"content":"Hel', { isCut: true })! > countTokens('Hel'), 'and with an incomplete event')
  assert.equal(output(''), 0, 'unlike a complete answer without words')
})

t.test('interleaved words are counted for each answer, and tool calls for each call', async () => {
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
  const expected = texts.reduce((sum, text) => sum + countTokens(text), 0) + 3 * around
  const ofChat = lines(choices('delta', (content) => ({ role: 'assistant', content })))
  assert.equal(output(`${ofChat}\n[]\n`, {}, { answers: 3 }), expected)
  assert.equal(output(lines(choices('text', (text) => text)), {}, { answers: 3 }), expected)

  const call = (index: number, letter: string) => ({ tool_calls: [{ index, function: { arguments: letter } }] })
  const ofTools = texts.flatMap((text, index) => [...text].map((letter) => JSON.stringify(call(index, letter))))
  assert.equal(output(ofTools.join('\n'), {}, { answers: 3 }), expected)
})

t.test('reasoning beside a message, a delta or a text counts', async () => {
  const expected = countTokens('Hello') + countTokens('thought') + around
  const choices = (member: string, words: unknown) => [{ index: 0, [member]: words, reasoning: 'thought' }]
  assert.equal(output(JSON.stringify({ choices: choices('message', { content: 'Hello' }) }), whole), expected)
  assert.equal(output(JSON.stringify({ choices: choices('text', 'Hello') }), whole), expected)
  assert.equal(output(JSON.stringify(choices('delta', { content: 'Hello' }))), expected)
  assert.equal(output(JSON.stringify(choices('text', 'Hello'))), expected)
})

t.test('words count under any name, whole and streamed, and those that a text repeats count once', async () => {
  const names = fc.oneof(
    fc.constantFrom('reasoning_content', 'reasoning_text', 'thoughts', 'text'),
    fc.stringMatching(/^[a-z_]{1,12}$/).filter((name) => mayHaveWords(name) && !/^(delta|message|index)$/.test(name))
  )
  const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(names, pieces, pieces, (name, said, thought) => {
      const events = [...said.entries()].flatMap(([at, content]) => [
        { index: 0, delta: { content }, [name]: thought[at] },
        ...(at === 0 ? thought.slice(said.length).map((words) => ({ index: 0, delta: {}, [name]: words })) : [])
      ])
      const received = new ReceivedText('delta')
      for (const choice of events) {
        const event = `data: ${JSON.stringify({ choices: [choice] })}\n\n`
        received.add(Buffer.from(event), Buffer.from(event).toString('latin1'))
      }
      const isRepeat = name === 'text' && said.join('') === thought.join('')
      const written = Buffer.byteLength(said.join('') + (isRepeat ? '' : thought.join('')))
      const body = { choices: [{ index: 0, message: { content: said.join('') }, [name]: thought.join('') }] }
      const bytes = { hasTokenizer: false }
      assert.ok(output(received.received().bytes.toString(), {}, bytes)! >= written + around)
      assert.ok(output(JSON.stringify(body), whole, bytes)! >= written + around)
    })
  )
  const together = [{ index: 0, text: 'Hello', delta: { content: 'Hello' } }]
  assert.equal(output('{"content":"Hello"}\n{"text":"Hello"}\n'), countTokens('Hello') + around)
  assert.equal(output(JSON.stringify(together)), countTokens('Hello') + around)
})

t.test('tool calls, reasoning and several choices count, names of roles do not', async () => {
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
  assert.equal(output(JSON.stringify(answer), whole), expected + around + 8)
  const items = [
    { id: 'ci_1', type: 'code_interpreter_call', status: 'completed', code: 'print(1)', outputs: [{ logs: '1' }] },
    { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello world' }] }
  ]
  const written = countTokens('print(1)') + countTokens('Hello world')
  assert.equal(output(JSON.stringify({ object: 'response', model: 'm', output: items }), whole), written + around)
  assert.equal(output('{"object":"chat.completion","output":"Hello"}', whole), countTokens('Hello') + around)
})

t.test('a prompt is counted in every form of input', async () => {
  const promptOf = (form: PromptForm, body: object) => {
    const [member] = Object.keys(body) as [string]
    const bytes = Buffer.from(JSON.stringify(body))
    const promptBytes = bytes.length - Buffer.byteLength('{"":}') - 5
    const template = { request: 0, message: 8 }
    const prompt = { body: bytes, member, form, media: {}, template, promptBytes, storedTokens: 0 }
    return estimateOf('', {}, { prompt }).promptTokens!
  }
  const message = promptOf('messages', { messages: [{ role: 'user', content: 'Hello world, and more of it' }] })
  assert.ok(message >= countTokens('Hello world, and more of it') + 7 && message < 60, `${message}`)
  for (const input of ['Hello world', ['Hello world', 'Hello'], [1, 2, 3], [[1], [2, 3]]]) {
    assert.ok(promptOf('texts', { input }) >= 2)
    assert.ok(promptOf('texts', { prompt: input }) >= 2)
  }
  const said = 'Hello world, and more of it'
  for (const input of [
    said,
    [{ role: 'user', content: said }],
    [{ role: 'user', content: [{ type: 'input_text', text: said }] }],
    [{ type: 'function_call_output', call_id: 'c', output: said }],
    [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: said }] }]
  ]) {
    const tokens = promptOf('items', { input })
    assert.ok(tokens >= countTokens(said) + 7 && tokens < 160, `${JSON.stringify(input)}: ${tokens}`)
  }
  assert.equal(estimateOf('').promptTokens, null)
})

t.test('an unknown shape gives no count, and never an error', async (t) => {
  assert.equal(output('<html>', whole), null)
  const errors: unknown[] = []
  const estimator = createUsageEstimator((error) => errors.push(error))
  t.teardown(() => estimator.close())
  const countable: Countable = { prompt: null, received: stream, answers: 1, hasTokenizer: true }
  const said = { ...stream, answer: Buffer.from('"a b c"\n') }
  assert.equal((await estimator.estimate({ ...countable, received: said })).completionTokens, 3 + around)
  const uncloneable = { ...countable, received: said, answers: (() => 1) as never }
  assert.equal((await estimator.estimate(uncloneable)).completionTokens, said.answer.length, 'its bytes bound it')
  assert.equal(errors.length, 1)
})
