import { memberOf } from '../body/member-of.ts'

/** Members of messages and deltas whose text is not what a model writes. */
const notWords = new Set(['role', 'type', 'id', 'object', 'detail', 'format', 'file_id'])

/** The words of a stream, by the place in the answer to which they belong. */
export function wordsOfLines(lines: Uint8Array): Map<string, string> {
  const words = new Map<string, string>()
  for (const line of Buffer.from(lines).toString().split('\n')) {
    if (line === '') continue
    try {
      const value: unknown = JSON.parse(line)
      gatherWords(Array.isArray(value) ? value.map(wordsOfChoice) : value, '', words)
    } catch {
      // A value that is not JSON was written by the model all the same.
      words.set('', (words.get('') ?? '') + line)
    }
  }
  return words
}

/** A stream of several answers brings all choices, each with what it adds: in another place each, by its index. */
function wordsOfChoice(choice: unknown): unknown {
  return { index: memberOf(choice, 'index'), words: writtenIn(choice, 'delta') }
}

/** What a choice has of the model's words: a delta, a message or a text, and the reasoning beside it. */
function writtenIn(choice: unknown, member: 'delta' | 'message'): unknown {
  return { text: memberOf(choice, member) ?? memberOf(choice, 'text'), reasoning: memberOf(choice, 'reasoning') }
}

/** @returns null for what is not JSON: it has been cut off, or is not an answer that we know */
export function wordsOfAnswer(bytes: Uint8Array): Map<string, string> | null {
  const words = new Map<string, string>()
  if (bytes.length === 0) return words
  let body: unknown
  try {
    body = JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null
  }
  const choices = memberOf(body, 'choices')
  const written = Array.isArray(choices) ? choices.map((choice) => writtenIn(choice, 'message')) : body
  gatherWords(written, '', words)
  return words
}

/** Puts every text within a value behind what was found at the same place before: what a stream brings in pieces. */
function gatherWords(value: unknown, path: string, words: Map<string, string>): void {
  if (typeof value === 'string') {
    words.set(path, (words.get(path) ?? '') + value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    // What a list brings in pieces says itself where it belongs: choices and tool calls do.
    const place = Array.isArray(value) ? (memberOf(inner, 'index') ?? name) : name
    if (!notWords.has(name)) gatherWords(inner, `${path}/${place}`, words)
  }
}
