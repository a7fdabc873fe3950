import { countTokens as countAllTokens } from '@tollgate/contracts/tokens/tokenize.ts'
import { memberOf, type Usage } from './usage.ts'

/** What there is to count. */
export type Countable = {
  /** The request's body. */
  request: Uint8Array
  /** Of a stream, its {@link ReceivedText}; else the answer's body. */
  answer: Uint8Array
  isStream: boolean
  /** How much of the answer that is, from 0 to 1. */
  share: number
}

/** Tokens that surround each message, and that begin the answer (OpenAI's cookbook, "How to count tokens with tiktoken"). */
const messageOverhead = 3
const answerOverhead = 3
/** What an image of 1024 × 1024 costs in OpenAI's models with vision; nobody says the size of this one. */
const imageTokens = 765
/** OpenAI counts 10 tokens a second; at 48 kB of audio a second. */
const audioBytesPerToken = 4800
const usualBytesPerToken = 4

/** So much of a text is counted, and the rest taken to be like it: some texts take seconds for each megabyte. */
const longestCounted = 65_536

function countTokens(text: string): number {
  if (text.length <= longestCounted) return countAllTokens(text)
  return Math.ceil((countAllTokens(text.slice(0, longestCounted)) * text.length) / longestCounted)
}

/** Members of messages and deltas whose text is not what a model reads or writes. */
const notWords = new Set(['role', 'type', 'id', 'object', 'detail', 'format', 'file_id'])

/** Counts what a request used whose upstream did not say. */
export function estimateUsage({ request, answer, isStream, share }: Countable): Usage {
  const written = isStream ? countLines(answer) : countAnswer(answer)
  return {
    promptTokens: countPrompt(request),
    cachedTokens: 0,
    completionTokens: Math.round(written / share),
    reasoningTokens: 0,
    estimated: true
  }
}

function countPrompt(request: Uint8Array): number {
  const body = parse(request)
  const messages = memberOf(body, 'messages')
  if (Array.isArray(messages)) {
    const tools = memberOf(body, 'tools')
    const words = messages.reduce((sum, message) => sum + countWords(message) + countTokens(roleOf(message)), 0)
    return words + messages.length * messageOverhead + answerOverhead + (tools ? countTokens(JSON.stringify(tools)) : 0)
  }
  const input = memberOf(body, 'input') ?? memberOf(body, 'prompt')
  return countInput(input)
}

/** A text, several, one as tokens, or several as tokens. */
function countInput(input: unknown): number {
  if (typeof input === 'string') return countTokens(input)
  if (!Array.isArray(input)) return 0
  return input.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 1 : countInput(part)), 0)
}

function countLines(lines: Uint8Array): number {
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
  return countAll(words)
}

/** A stream of several answers brings all choices, each with what it adds: in another place each, by its index. */
function wordsOfChoice(choice: unknown): unknown {
  return { index: memberOf(choice, 'index'), words: memberOf(choice, 'delta') ?? memberOf(choice, 'text') }
}

function countAnswer(bytes: Uint8Array): number {
  const body = parse(bytes)
  const choices = memberOf(body, 'choices')
  if (Array.isArray(choices)) {
    return choices.reduce((sum, choice) => sum + countWords(memberOf(choice, 'message') ?? memberOf(choice, 'text')), 0)
  }
  // Embeddings have no words. What is not JSON has been cut off, or is not an answer that we know.
  return body === null ? Math.ceil(bytes.length / usualBytesPerToken) : 0
}

function countWords(value: unknown): number {
  const words = new Map<string, string>()
  const media = gatherWords(value, '', words)
  return media + countAll(words)
}

function countAll(words: ReadonlyMap<string, string>): number {
  let tokens = 0
  for (const text of words.values()) tokens += countTokens(text)
  return tokens
}

/**
 * Puts every text within a value behind what was found at the same place before: what a stream brings in pieces.
 *
 * @returns the tokens of what is not text
 */
function gatherWords(value: unknown, path: string, words: Map<string, string>): number {
  if (typeof value === 'string') {
    words.set(path, (words.get(path) ?? '') + value)
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  const { image_url, input_audio } = value as Record<string, unknown>
  if (image_url !== undefined) return imageTokens
  if (input_audio !== undefined) {
    const data = memberOf(input_audio, 'data')
    return typeof data === 'string' ? Math.ceil((data.length * 0.75) / audioBytesPerToken) : 0
  }
  let media = 0
  for (const [name, inner] of Object.entries(value)) {
    // What a list brings in pieces says itself where it belongs: choices and tool calls do.
    const place = Array.isArray(value) ? (memberOf(inner, 'index') ?? name) : name
    if (!notWords.has(name)) media += gatherWords(inner, `${path}/${place}`, words)
  }
  return media
}

function roleOf(message: unknown): string {
  const role = memberOf(message, 'role')
  return typeof role === 'string' ? role : ''
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null
  }
}
