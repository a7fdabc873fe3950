import { createHmac, randomBytes } from 'node:crypto'
import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import type { ChatCompletion, ChatCompletionTokenLogprob } from 'openai/resources/chat/completions'
import type { CompletionChoice } from 'openai/resources/completions'
import { type Piece, splitIntoPieces } from './write-text.ts'

// The model always gives the same answer, so its probability is 1.
const logprob = 0

const unlikely = -9999

export type Finish = 'stop' | 'length' | 'tool_calls'

/** A tool call. Its arguments or input are streamed in pieces. */
export interface ProducedCall {
  readonly id: string
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly nameTokens: number
  readonly pieces: readonly Piece[]
}

/** One choice of an answer, independent of the endpoint's format. */
export interface Produced {
  readonly content: readonly Piece[] | null
  readonly calls: readonly ProducedCall[]
  readonly finish: Finish
  /** The stop sequence that ended the text. */
  readonly stoppedBy?: string
}

/** Produces a text. It ends before the first stop sequence, or after `limit` tokens. */
export function produceText(
  text: string,
  stop: string | readonly string[] | null | undefined,
  limit: number
): Produced {
  const { kept, stoppedBy } = cutAtStop(text, stop)
  const { pieces, complete } = takeTokens(splitIntoPieces(kept), limit)
  if (!complete) return { content: pieces, calls: [], finish: 'length' }
  return { content: pieces, calls: [], finish: 'stop', ...(stoppedBy !== undefined && { stoppedBy }) }
}

/** Produces a text of `megabytes` million bytes, to test proxies. It ignores the request's limits. */
export function produceFlood(megabytes: number): Produced {
  return {
    content: Array.from({ length: Math.ceil((megabytes * 1e6) / flood.text.length) }, () => flood),
    calls: [],
    finish: 'stop'
  }
}

// Every word starts with a space, so that the tokens of the whole text are the tokens of its parts.
const floodText = ' sandbox'.repeat(2048)
const flood: Piece = { text: floodText, tokens: countTokens(floodText) }

/** Produces tool calls within `limit` tokens. The arguments of the last one may be cut off. */
export function produceCalls(calls: readonly ProducedCall[], limit: number): Produced {
  const produced: ProducedCall[] = []
  let left = limit
  for (const call of calls) {
    if (call.nameTokens > left) return { content: null, calls: produced, finish: 'length' }
    const { pieces, complete } = takeTokens(call.pieces, left - call.nameTokens)
    produced.push({ ...call, pieces })
    if (!complete) return { content: null, calls: produced, finish: 'length' }
    left -= call.nameTokens + sumTokens(pieces)
  }
  return { content: null, calls: produced, finish: 'tool_calls' }
}

/** Counts the tokens of a choice. */
export function countProduced({ content, calls }: Produced): number {
  return sumTokens(content ?? []) + calls.reduce((sum, call) => sum + call.nameTokens + sumTokens(call.pieces), 0)
}

export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('')
}

function sumTokens(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}

function cutAtStop(text: string, stop: string | readonly string[] | null | undefined) {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const matches = sequences.filter((sequence) => text.includes(sequence))
  const [first] = matches.sort((a, b) => text.indexOf(a) - text.indexOf(b))
  return { kept: first === undefined ? text : text.slice(0, text.indexOf(first)), stoppedBy: first }
}

function takeTokens(pieces: readonly Piece[], limit: number): { pieces: readonly Piece[]; complete: boolean } {
  let left = limit
  for (const [index, piece] of pieces.entries()) {
    if (piece.tokens > left) return { pieces: pieces.slice(0, index), complete: false }
    left -= piece.tokens
  }
  return { pieces, complete: true }
}

/** Log probabilities in the chat endpoint's format, with `alternatives` for each token. */
export function chatLogprobs(pieces: readonly Piece[], alternatives: number): ChatCompletion.Choice.Logprobs {
  const content = pieces.map(({ text }): ChatCompletionTokenLogprob => {
    const others = Array.from({ length: alternatives }, (_, rank) => ({
      ...describe(rank === 0 ? text : ` other${rank}`),
      logprob: rank === 0 ? logprob : unlikely
    }))
    return { ...describe(text), logprob, top_logprobs: others }
  })
  return { content, refusal: null }
}

/** Log probabilities in the legacy endpoint's format. `offset` is the first piece's position in the whole text. */
export function completionLogprobs(pieces: readonly Piece[], offset: number): CompletionChoice.Logprobs {
  let at = offset
  const offsets = pieces.map(({ text }) => {
    at += text.length
    return at - text.length
  })
  return {
    tokens: pieces.map(({ text }) => text),
    token_logprobs: pieces.map(() => logprob),
    top_logprobs: pieces.map(({ text }) => ({ [text]: logprob })),
    text_offset: offsets
  }
}

function describe(token: string): { token: string; bytes: number[] } {
  return { token, bytes: [...Buffer.from(token)] }
}

/** Signs contents that clients must return unchanged: encrypted reasoning, and signatures of thinking. */
export interface Seal {
  /** Seals a text of a kind, such as reasoning. */
  seal(kind: string, text: string): string
  /** Returns the sealed text; null if this server did not seal it as this kind. */
  open(kind: string, sealed: string): string | null
}

/** Creates a seal with a secret of its own, so that another server's contents are refused, as between two accounts. */
export function createSeal(): Seal {
  const secret = randomBytes(32)
  const sign = (kind: string, text: string) =>
    createHmac('sha256', secret).update(`${kind}\n${text}`).digest('base64url')
  return {
    seal: (kind, text) => `${Buffer.from(text).toString('base64url')}.${sign(kind, text)}`,
    open(kind, sealed) {
      const [encoded = '', signature] = sealed.split('.')
      const text = Buffer.from(encoded, 'base64url').toString('utf8')
      return signature === sign(kind, text) ? text : null
    }
  }
}
