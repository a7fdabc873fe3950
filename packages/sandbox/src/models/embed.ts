import { createHash } from 'node:crypto'

/**
 * Computes the vector of a text, of length 1. Equal texts have equal vectors; the vectors of similar texts are unrelated.
 *
 * Fewer dimensions are the start of the full vector, scaled back to length 1, as in OpenAI's models.
 */
export function embed(text: string, dimensions: number): Float32Array {
  // xorshift32, seeded by the text; the state must not be 0.
  let state = createHash('sha256').update(text).digest().readUInt32LE() || 1
  const vector = new Float32Array(dimensions)
  let squares = 0
  for (let index = 0; index < dimensions; index++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    const value = (state >>> 0) / 2 ** 31 - 1
    vector[index] = value
    squares += value * value
  }
  const length = Math.sqrt(squares)
  return length === 0 ? vector : vector.map((value) => value / length)
}
