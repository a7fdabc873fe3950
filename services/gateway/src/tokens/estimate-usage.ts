import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { type CountablePrompt, countPrompt } from './count-prompt.ts'
import { tokensUnderWay } from './tokens-under-way.ts'
import { wordsOfAnswer, wordsOfLines } from './words.ts'

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
