import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { type Piece, splitIntoPieces } from './tokens.ts'

export type Finish = 'stop' | 'length' | 'tool_calls'

/** A tool call of the model. Its arguments (or input) are streamed in pieces. */
export interface ProducedCall {
  readonly id: string
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly nameTokens: number
  readonly pieces: readonly Piece[]
}

/** One choice of an answer, before it is given its shape on the wire. */
export interface Produced {
  readonly content: readonly Piece[] | null
  readonly calls: readonly ProducedCall[]
  readonly finish: Finish
}

/** A text as a model would produce it: cut before the first stop sequence, and after `limit` tokens. */
export function produceText(
  text: string,
  stop: string | readonly string[] | null | undefined,
  limit: number
): Produced {
  const { pieces, complete } = takeTokens(splitIntoPieces(cutAtStop(text, stop)), limit)
  return { content: pieces, calls: [], finish: complete ? 'stop' : 'length' }
}

/** A text of so many million bytes, to test what passes it on. No limit of the request holds for it. */
export function produceFlood(megabytes: number): Produced {
  return {
    content: Array.from({ length: Math.ceil((megabytes * 1e6) / flood.text.length) }, () => flood),
    calls: [],
    finish: 'stop'
  }
}

// Every word begins with its space, so that the tokens of the whole are those of its parts.
const floodText = ' sandbox'.repeat(2048)
const flood: Piece = { text: floodText, tokens: countTokens(floodText) }

/** Tool calls as a model would produce them within `limit` tokens; the last one may lack the end of its arguments. */
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

/** All tokens of a choice. */
export function countProduced({ content, calls }: Produced): number {
  return sumTokens(content ?? []) + calls.reduce((sum, call) => sum + call.nameTokens + sumTokens(call.pieces), 0)
}

export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('')
}

function sumTokens(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}

function cutAtStop(text: string, stop: string | readonly string[] | null | undefined): string {
  const sequences = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((sequence) => sequence !== '')
  const ends = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

function takeTokens(pieces: readonly Piece[], limit: number): { pieces: readonly Piece[]; complete: boolean } {
  let left = limit
  for (const [index, piece] of pieces.entries()) {
    if (piece.tokens > left) return { pieces: pieces.slice(0, index), complete: false }
    left -= piece.tokens
  }
  return { pieces, complete: true }
}
