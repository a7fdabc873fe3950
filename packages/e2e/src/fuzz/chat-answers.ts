import { memberOf } from '@tollgate/gateway/body/json-text.ts'
import { chatOf } from '@tollgate/gateway/testing/client.ts'
import fc from 'fast-check'

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const chunk = (content: string, finish: string | null = null) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }], usage: null })
const error = JSON.stringify({ error: { message: 'overloaded', code: 529 } })
const whole = fc
  .string()
  .map((content) => JSON.stringify({ object: 'chat.completion', choices: [{ message: { content } }], usage }))
const stream = fc
  .record({
    contents: fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
    end: fc.constantFrom(
      ...[
        [JSON.stringify({ choices: [], usage }), '[DONE]'],
        [chunk('', 'stop'), '[DONE]'],
        [chunk('', 'stop')],
        ['[DONE]'],
        [error, '[DONE]'],
        [error],
        []
      ]
    )
  })
  .map(({ contents, end }) =>
    [...contents.map((content) => chunk(content)), ...end].map((data) => `data: ${data}\n\n`).join('')
  )
/** Whether a text is certainly a JSON object with a list of choices. */
function isChoices(text: string): boolean {
  const choices = memberOf(parsed(text), 'choices')
  return (
    Array.isArray(choices) &&
    /^\s*\{("id":"x",|"object":"chat.completion",)?"choices":\[\{/.test(text) &&
    !text.includes('error')
  )
}

function isUsage(text: string): boolean {
  return text === JSON.stringify({ choices: [], usage })
}

export const chatAnswers: AnswerApi = {
  name: 'chat',
  path: '/v1/chat/completions',
  request: (asksForStream) => chatOf('small', asksForStream ? { stream: true } : {}),
  whole,
  stream,
  error,
  isWholeBody: isChoices,
  isWholeStream(text) {
    if (!/^(data: [^\r\n]+\n\n)+$/.test(text)) return false
    const events = text
      .split('\n\n')
      .slice(0, -1)
      .map((event) => event.slice(6))
    const chunks = events[events.length - 1] === '[DONE]' ? events.slice(0, -1) : events
    const isEnded = chunks !== events || chunks[chunks.length - 1]?.includes('"finish_reason":"stop"')
    return (
      chunks.length > 0 &&
      isEnded === true &&
      chunks.every((event) => isChoices(event) || isUsage(event)) &&
      isChoices(chunks[0]!)
    )
  },
  maybeEnded: /\[DONE\]|"finish_reason"\s*:\s*"[^"]|"usage"\s*:\s*\{/,
  ended: /\[DONE\]/,
  failure: /(?:^|[\r\n])(data: \{"error":\{"message":"[^"]*","type":"upstream_error","code":"[a-z_]+"\}\}\n\n)$/
}

/** How the fuzzer makes and judges the answers of one API. */
export interface AnswerApi {
  readonly name: string
  readonly path: string
  /** A valid request. */
  request(asksForStream: boolean): object
  /** The text of a single body. */
  readonly whole: fc.Arbitrary<string>
  /** The text of a stream. Some are hostile. */
  readonly stream: fc.Arbitrary<string>
  /** A body that reports an error. */
  readonly error: string
  /** Whether a text is certainly a single body that is complete. */
  isWholeBody(text: string): boolean
  /** Whether a text is certainly a stream that is complete. */
  isWholeStream(text: string): boolean
  /** Matches a stream that may be complete. */
  readonly maybeEnded: RegExp
  /** Matches a stream whose last event has certainly arrived. */
  readonly ended: RegExp
  /** Matches the event with which the gateway ends a stream that failed. */
  readonly failure: RegExp
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
