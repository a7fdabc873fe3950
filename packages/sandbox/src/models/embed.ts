import { createHash } from 'node:crypto'

/**
 * The vector of a text: of length 1, the same for the same text, and in no relation to the vectors of others.
 *
 * Fewer dimensions are the beginning of the whole vector, brought back to length 1, as OpenAI's models do it.
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
