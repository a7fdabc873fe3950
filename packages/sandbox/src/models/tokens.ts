import { tokenize } from '@tollgate/tokenizer/tokenize.ts'
import { decode, decodeGenerator, encode } from 'gpt-tokenizer/encoding/o200k_base'

/** A part of a text as a model streams it: a token, or the few tokens that make up one character. */
export interface Piece {
  readonly text: string
  readonly tokens: number
}

/** A text in the pieces in which a model would stream it. Put together they are the text. */
export function splitIntoPieces(text: string): Piece[] {
  const tokens = tokenize(text.toWellFormed())
  let taken = 0
  function* take() {
    for (const token of tokens) {
      taken += 1
      yield token
    }
  }
  const pieces: Piece[] = []
  let before = 0
  for (const part of decodeGenerator(take())) {
    pieces.push({ text: part, tokens: taken - before })
    before = taken
  }
  return pieces
}

/**
 * The text of a list of token numbers.
 *
 * @returns null when one of them is not a token
 */
export function decodeTokens(tokens: readonly number[]): string | null {
  try {
    return decode(tokens)
  } catch {
    return null
  } finally {
    // The library's decoder keeps the bytes of a character that a list cuts off, and would put them before the next text.
    decode(completeCharacter)
  }
}

const completeCharacter = encode('🎉')
