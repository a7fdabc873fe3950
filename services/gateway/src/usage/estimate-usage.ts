import { countTokens } from '@tollgate/contracts/tokens/tokenize.ts'
import { type CountablePrompt, countPrompt } from './count-prompt.ts'
import { memberOf, tokensUnderWay } from './usage.ts'

/** What there is to count of a request whose upstream did not report all of its usage. */
export type Countable = {
  /** null for a prompt that cannot be counted, or need not be. */
  prompt: CountablePrompt | null
  /** What came of the answer. */
  received: Received
  /** How many answers the request asked for. */
  answers: number
  /** Whether the tokenizer is that of the model. Without one, each byte of its words counts as a token. */
  hasTokenizer: boolean
}

/** What came of an answer. */
export type Received = {
  /** Of a stream, the lines of its `ReceivedText`; else the answer's body. */
  answer: Uint8Array
  isStream: boolean
  /** Bytes that came, or were promised, and are not in `answer`. */
  unseenBytes: number
  /** Whether the answer ended before its end. */
  isCut: boolean
}

/** Tokens; null where the count is not known. */
export type Estimate = { promptTokens: number | null; completionTokens: number | null }

/** What models put around an answer, and around a tool call in it. */
const answerOverhead = 3
const callOverhead = 8

/** Members of messages and deltas whose text is not what a model writes. */
const notWords = new Set(['role', 'type', 'id', 'object', 'detail', 'format', 'file_id'])

/** Counts what a request used, from above: the provider does not bill more. */
export function estimateUsage({ prompt, received, answers, hasTokenizer }: Countable): Estimate {
  const count = hasTokenizer ? countTokens : Buffer.byteLength
  const words = received.isStream ? wordsOfLines(received.answer) : wordsOfAnswer(received.answer)
  let completionTokens: number | null = null
  if (words !== null) {
    completionTokens = received.unseenBytes
    for (const [path, text] of words) completionTokens += count(text) + (isName.test(path) ? callOverhead : 0)
    if (completionTokens > 0) completionTokens += answers * answerOverhead
    if (received.isCut) completionTokens += answers * tokensUnderWay
  }
  return { promptTokens: prompt === null ? null : countPrompt(prompt), completionTokens }
}

/** The name of a tool. */
const isName = /\/name$/

/** The words of a stream, by the place in the answer to which they belong. */
function wordsOfLines(lines: Uint8Array): Map<string, string> {
  const words = new Map<string, string>()
  for (const line of Buffer.from(lines).toString().split('\n')) {
    if (line === '') continue
    try {
      const value: unknown = JSON.parse(line)
      gatherWords(Array.isArray(value) ? value.map(wordsOfChoice) : value, '', words)
    } catch {
      // A value that is not JSON was written by the model all the same.
      words.set('', (words.get('') ?? '') + line)
    }
  }
  return words
}

/** A stream of several answers brings all choices, each with what it adds: in another place each, by its index. */
function wordsOfChoice(choice: unknown): unknown {
  return { index: memberOf(choice, 'index'), words: memberOf(choice, 'delta') ?? memberOf(choice, 'text') }
}

/** @returns null for what is not JSON: it has been cut off, or is not an answer that we know */
function wordsOfAnswer(bytes: Uint8Array): Map<string, string> | null {
  const words = new Map<string, string>()
  if (bytes.length === 0) return words
  let body: unknown
  try {
    body = JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null
  }
  const choices = memberOf(body, 'choices')
  const written = Array.isArray(choices)
    ? choices.map((choice) => memberOf(choice, 'message') ?? memberOf(choice, 'text'))
    : body
  gatherWords(written, '', words)
  return words
}

/** Puts every text within a value behind what was found at the same place before: what a stream brings in pieces. */
function gatherWords(value: unknown, path: string, words: Map<string, string>): void {
  if (typeof value === 'string') {
    words.set(path, (words.get(path) ?? '') + value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    // What a list brings in pieces says itself where it belongs: choices and tool calls do.
    const place = Array.isArray(value) ? (memberOf(inner, 'index') ?? name) : name
    if (!notWords.has(name)) gatherWords(inner, `${path}/${place}`, words)
  }
}
