import { memberOf } from '../body/member-of.ts'

/** Members of messages and deltas with texts that the model did not write. */
const notWords = new Set(['role', 'type', 'id', 'object', 'detail', 'format', 'file_id'])

/** The words of a stream, by their place in the answer. */
export function wordsOfLines(lines: Uint8Array): Map<string, string> {
  const words = new Map<string, string>()
  for (const line of Buffer.from(lines).toString().split('\n')) {
    if (line === '') continue
    try {
      const value: unknown = JSON.parse(line)
      gatherWords(Array.isArray(value) ? value.map(wordsOfChoice) : value, '', words)
    } catch {
      // The model wrote this value too, although it is not JSON.
      words.set('', (words.get('') ?? '') + line)
    }
  }
  return words
}

/** The words of one choice in a stream of several answers. Its index gives their place. */
function wordsOfChoice(choice: unknown): unknown {
  return { index: memberOf(choice, 'index'), words: writtenIn(choice, 'delta') }
}

/** The model's words in a choice: a delta, a message or a text, and the reasoning beside it. */
function writtenIn(choice: unknown, member: 'delta' | 'message'): unknown {
  return { text: memberOf(choice, member) ?? memberOf(choice, 'text'), reasoning: memberOf(choice, 'reasoning') }
}

/** The words of a single body. @returns null if the body is not JSON, perhaps because it was cut off */
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
  const written = Array.isArray(choices) ? choices.map((choice) => writtenIn(choice, 'message')) : outputOf(body)
  gatherWords(written, '', words)
  return words
}

/** What the model wrote into a response; for another body, all of it. */
function outputOf(body: unknown): unknown {
  const output = memberOf(body, 'output')
  if (memberOf(body, 'object') !== 'response' || !Array.isArray(output)) return body
  return output.map((item) => ({
    name: memberOf(item, 'name'),
    arguments: memberOf(item, 'arguments'),
    input: memberOf(item, 'input'),
    action: memberOf(item, 'action'),
    actions: memberOf(item, 'actions'),
    operation: memberOf(item, 'operation'),
    content: memberOf(item, 'content'),
    summary: memberOf(item, 'summary')
  }))
}

/** Appends each text within a value to the earlier text at the same place: a stream brings texts in pieces. */
function gatherWords(value: unknown, path: string, words: Map<string, string>): void {
  if (typeof value === 'string') {
    words.set(path, (words.get(path) ?? '') + value)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    // Choices and tool calls come in pieces, and carry their own index.
    const place = Array.isArray(value) ? (memberOf(inner, 'index') ?? name) : name
    if (!notWords.has(name)) gatherWords(inner, `${path}/${place}`, words)
  }
}
