import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { invalidRequest } from './api-error.ts'
import { decodeTokens } from './tokens.ts'

/** One input of a request. */
export interface Input {
  readonly text: string
  readonly tokens: number
}

/**
 * Reads one or several inputs, each a text or a list of token numbers.
 *
 * @param param the name of the member, for errors
 * @throws ApiError (400) if a number is not a token
 */
export function readInputs(input: string | string[] | number[] | number[][], param: string): Input[] {
  if (typeof input === 'string') return [readText(input)]
  if (isTokenList(input)) return [readTokens(input, param)]
  return input.map((item) => (typeof item === 'string' ? readText(item) : readTokens(item, param)))
}

function isTokenList(input: string[] | number[] | number[][]): input is number[] {
  return typeof input[0] === 'number'
}

function readText(text: string): Input {
  return { text, tokens: countTokens(text) }
}

function readTokens(tokens: readonly number[], param: string): Input {
  const text = decodeTokens(tokens)
  if (text === null) throw invalidRequest(`Invalid token in '${param}'.`, param, 'invalid_value')
  return { text, tokens: tokens.length }
}
