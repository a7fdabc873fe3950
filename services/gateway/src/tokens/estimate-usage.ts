import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { type CountablePrompt, countPrompt } from './count-prompt.ts'
import { tokensInTransit } from './received-text.ts'
import { wordsOfAnswer, wordsOfLines } from './words.ts'

/** A request with usage that its upstream did not fully report. */
export interface Countable {
  /** null if the prompt cannot be counted, or its tokens are known. */
  prompt: CountablePrompt | null
  /** The part of the answer that came. */
  received: Received
  /** How many answers the request asked for. */
  answers: number
  /** Whether the model has a tokenizer. Without one, each byte of its words counts as a token. */
  hasTokenizer: boolean
}

/** The part of an answer that came. */
export interface Received {
  /** For a stream, the lines of its `ReceivedText`; else the body. */
  answer: Uint8Array
  isStream: boolean
  /** Bytes that came or were announced, but are missing in `answer`. */
  unseenBytes: number
  /** Whether the answer was cut off. */
  isCut: boolean
}

/** Tokens; null if the count is unknown. */
export interface Estimate {
  promptTokens: number | null
  completionTokens: number | null
}

/** Tokens that models put around an answer, and around a tool call in it. */
const answerOverhead = 3
const callOverhead = 8

/** Estimates the usage of a request. The provider does not bill more than the estimate. */
export function estimateUsage({ prompt, received, answers, hasTokenizer }: Countable): Estimate {
  const count = hasTokenizer ? countTokens : Buffer.byteLength
  const words = received.isStream ? wordsOfLines(received.answer) : wordsOfAnswer(received.answer)
  let completionTokens: number | null = null
  if (words !== null) {
    completionTokens = received.unseenBytes
    for (const [path, text] of words) completionTokens += count(text) + (isName.test(path) ? callOverhead : 0)
    if (completionTokens > 0) completionTokens += answers * answerOverhead
    if (received.isCut) completionTokens += answers * tokensInTransit
  }
  return { promptTokens: prompt === null ? null : countPrompt(prompt), completionTokens }
}

/** Matches the path of a tool's name. */
const isName = /\/name$/
