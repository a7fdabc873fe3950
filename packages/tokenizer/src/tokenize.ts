import { encode } from 'gpt-tokenizer/encoding/o200k_base'

// Text that looks like a special token is counted as text, as in the body of a message.
const asText = { disallowedSpecial: new Set<string>() }

// The library's time grows with the square of a word's length: 100 KB without a space take 6 s. Longer words are
// counted in parts, each with at most one token too many. Real text has no such words.
const maxWordLength = 256
const longWords = new RegExp(`\\S{${maxWordLength + 1},}|\\s{${maxWordLength + 1},}`, 'g')

/** Number of o200k_base tokens of a text, as exact as {@link tokenize}. */
export function countTokens(text: string): number {
  return tokenize(text).length
}

/** The o200k_base tokens of a text. Exact unless a word has more than 256 characters. */
export function tokenize(text: string): number[] {
  if (text.search(longWords) < 0) return encode(text, asText)
  const tokens: number[] = []
  let from = 0
  for (const match of text.matchAll(longWords)) {
    for (const part of [text.slice(from, match.index), ...cut(match[0])]) {
      for (const token of encode(part, asText)) tokens.push(token)
    }
    from = match.index + match[0].length
  }
  for (const token of encode(text.slice(from), asText)) tokens.push(token)
  return tokens
}

function* cut(word: string): Generator<string> {
  let from = 0
  while (from < word.length) {
    let to = Math.min(from + maxWordLength, word.length)
    // Surrogate pairs are not split.
    if (to < word.length && (word.charCodeAt(to) & 0xfc00) === 0xdc00) to -= 1
    yield word.slice(from, to)
    from = to
  }
}
