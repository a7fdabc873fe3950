import { tokenize } from '@tollgate/tokenizer/tokenize.ts'
import { decode, decodeGenerator, encode } from 'gpt-tokenizer/encoding/o200k_base'

/** A piece of a streamed text: a token, or the few tokens of one character. */
export interface Piece {
  readonly text: string
  readonly tokens: number
}

/** Splits a text into the pieces that a model would stream. */
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
 * Decodes a list of token numbers.
 *
 * @returns null if one of them is not a token
 */
export function decodeTokens(tokens: readonly number[]): string | null {
  try {
    return decode(tokens)
  } catch {
    return null
  } finally {
    // The library's decoder keeps the bytes of a cut-off character and would prepend them to the next text.
    decode(completeCharacter)
  }
}

const completeCharacter = encode('🎉')
