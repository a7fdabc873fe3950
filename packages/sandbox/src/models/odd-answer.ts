import type { Answer, AnswerEvent } from './answer.ts'
import type { Behaviour } from './model-name.ts'

/** A JSON object of an answer. */
type Json = Record<string, unknown>
type Change = (value: Json) => Json

/** How an answer differs from that of its API. */
interface Oddity {
  readonly whole: Change
  readonly events: (events: Iterable<AnswerEvent>) => Iterable<AnswerEvent>
  /** Whether the model produces nothing, so that only the prompt is billed. */
  readonly isEmpty?: boolean
}

/**
 * Answers as providers have sent them, against the description of their API. The bill is that of the ordinary answer,
 * or of an empty one.
 */
export function oddAnswer(answer: Answer, { 'odd-answer': kind }: Behaviour): Answer {
  if (kind === undefined) return answer
  const { whole, events, isEmpty = false } = oddities[kind]
  return {
    ...answer,
    ...(isEmpty && { completionTokens: 0, hiddenTokens: 0, reasoningTokens: 0 }),
    whole: () => whole(answer.whole() as Json),
    events: answer.events === null ? null : () => events(answer.events!())
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const same: Change = (value) => value

/** Changes members of an object, if it has them. */
function changed(value: Json, changes: Record<string, (member: never) => unknown>): Json {
  const result = { ...value }
  for (const [name, change] of Object.entries(changes)) {
    if (value[name] != null) result[name] = change(value[name] as never)
  }
  return result
}

/** Changes each event by itself. */
const each = (change: Change) =>
  function* (events: Iterable<AnswerEvent>): Generator<AnswerEvent> {
    for (const { data, tokens } of events) yield { data: change(data as Json), tokens }
  }

/** All numbers within a value, halved and rounded up. */
function halved(value: unknown): unknown {
  if (typeof value === 'number') return Math.ceil(value / 2)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, halved(inner)]))
}

/** The final report of usage comes again, with less. */
function* lowerReports(events: Iterable<AnswerEvent>): Generator<AnswerEvent> {
  for (const event of events) {
    yield event
    const { usage } = event.data as Json
    if (isObject(usage)) yield { data: { ...event.data, usage: halved(usage) }, tokens: 0 }
  }
}

const withoutOutput = (usage: Json): Json => {
  const { prompt_tokens: prompt, total_tokens, completion_tokens_details, output_tokens_details, ...others } = usage
  return prompt === undefined
    ? { ...others, output_tokens: 0 }
    : { ...others, prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt }
}

/** A filter of the provider refused: there are no answers, and only the prompt is billed. */
const filtered: Oddity = {
  isEmpty: true,
  whole: (body) => changed({ ...body, choices: [] }, { usage: withoutOutput }),
  *events(events) {
    for (const { data } of events) {
      if (isObject((data as Json).usage)) yield { data: changed(data as Json, { usage: withoutOutput }), tokens: 0 }
    }
  }
}

const refusal = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'It may do harm.' } }

/** The model of a message refuses at once. */
const refused: Oddity = {
  isEmpty: true,
  whole: (body) => changed({ ...body, ...refusal, content: [] }, { usage: withoutOutput }),
  *events(events) {
    for (const { data } of events) {
      const { type, delta } = data as { type: string; delta?: Json }
      if (type === 'message_delta')
        yield { data: changed({ ...data, delta: { ...delta, ...refusal } }, { usage: withoutOutput }), tokens: 0 }
      else if (type.startsWith('message_')) yield { data, tokens: 0 }
    }
  }
}

/** The words are in a member that the API does not have: beside a delta or message, or instead of a block's text. */
const otherName: Oddity = {
  whole: (body) =>
    changed(body, {
      choices: (choices: Json[]) => choices.map(renameWords),
      content: (blocks: Json[]) => blocks.map(renameWords)
    }),
  events: each((data) =>
    changed(data, {
      choices: (choices: Json[]) => choices.map(renameWords),
      ...(data.type === 'content_block_delta' && { delta: renameWords })
    })
  )
}

function renameWords(value: Json): Json {
  const { text, ...others } = value
  if (typeof text === 'string') return { ...others, reasoning_text: text }
  for (const member of ['delta', 'message']) {
    const inner = value[member]
    if (isObject(inner) && typeof inner.content === 'string')
      return { ...value, [member]: { ...inner, content: null }, reasoning_text: inner.content }
  }
  return value
}

/** The answer has results of searches, but its report of them is missing, invalid or too small. */
function searchesAs(report: unknown): Oddity {
  const change: Change = (value) =>
    changed(
      { ...value, ...('tool_usage' in value && { tool_usage: report }) },
      {
        usage: (usage: Json) => ({ ...usage, ...('server_tool_use' in usage && { server_tool_use: report }) }),
        // The items have come before.
        response: (response: Json) => ({
          ...change(response),
          output: []
        })
      }
    )
  return { whole: change, events: each(change) }
}

const number = (count: number) => ({ web_search_requests: count, web_search: { num_requests: count } })

const oddities: Readonly<Record<NonNullable<Behaviour['odd-answer']>, Oddity>> = {
  'lower-report': { whole: same, events: lowerReports },
  filtered,
  refused,
  'other-name': otherName,
  'searches-missing': searchesAs(undefined),
  'searches-null': searchesAs(null),
  'searches-text': searchesAs('2'),
  'searches-negative': searchesAs(number(-1)),
  'searches-zero': searchesAs(number(0)),
  'searches-one': searchesAs(number(1))
}
