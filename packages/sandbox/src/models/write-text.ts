import { createHash } from 'node:crypto'
import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import { tokenize } from '@tollgate/tokenizer/tokenize.ts'
import { decode, decodeGenerator, encode } from 'gpt-tokenizer/encoding/o200k_base'

const completeCharacter = encode('🎉')

// Plain words of one token each, so that the length of a text is predictable.
const words =
  'able about above after again along also always around because been before being below best better between both bring build call came change city clear close come could course cover cross dark data deal deep door down draw dream drive each early earth east easy even ever every face fact fall family far fast feel field fine fire first fish five follow food form four free from front full game give glass gold good great green ground group grow half hand happy hard have head hear heart heavy help here high hill hold home hope horse hour house idea keep kind king know land large last late lead learn leave left letter life light like line list listen little live long look lost love low main make many mark mean might mile mind money moon more most mother move much music must name near need never new next night north note nothing now number often once only open order other over page paper part pass past pay people perhaps place plain plan plant play point poor power public pull question quick quiet rain reach read ready real red rest right ring river road rock room round rule same school sea second see sense serve set shall ship short show side simple since sing sit six size sky sleep slow small snow some song soon sort sound south space spring stand star start state stay step still stone stop story street strong such summer sun sure table take talk ten tell than that them then there they thing think this those though thought three through time today top town travel tree true turn two under unit until very voice wait walk wall war warm was watch water way week well went were west what wheel when where which while white whole why wide wild will wind winter wish with wonder wood word work world would write year yes yet young'.split(
    ' '
  )

const maxWords = 200_000
const defaultWords = 16
const maxQuoteLength = 160

/**
 * Writes the answer to a text. It depends only on the text and the choice's `index`. `say N words` anywhere in the text
 * gets exactly N words (at most 200,000).
 *
 * @param introduction the words before the quote of the text; null: no quote
 */
export function writeText(prompt: string, index: number, introduction: string | null): string {
  const match = /\bsay (\d{1,9}) words?\b/i.exec(prompt)
  if (match !== null) return [...take(prompt, index, Math.min(Number(match[1]), maxWords))].join(' ')
  const sentence = `${[...take(prompt, index, defaultWords)].join(' ')}.`
  return introduction === null ? sentence : `${introduction} "${quote(prompt)}". ${sentence}`
}

function quote(prompt: string): string {
  const line = prompt.replace(/\s+/g, ' ').trim()
  return line.length <= maxQuoteLength ? line : `${line.slice(0, maxQuoteLength).toWellFormed()}…`
}

/** Words whose sequence depends on the text and the index. */
function* take(prompt: string, index: number, count: number): Generator<string> {
  // A linear congruential generator with the constants of Numerical Recipes.
  let state = createHash('sha256').update(`${index}:${prompt}`).digest().readUInt32LE()
  for (let taken = 0; taken < count; taken++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield words[Math.floor((state / 2 ** 32) * words.length)] ?? ''
  }
}

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

/**
 * Computes the vector of a text, of length 1. Equal texts have equal vectors; the vectors of similar texts are
 * unrelated.
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

/** Creates an id like OpenAI's: a prefix such as `chatcmpl-`, then 24 letters and digits. */
export const randomId = (prefix: string): string => prefix + randomBase62(24)
