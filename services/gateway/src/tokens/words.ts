import { memberOf } from '../body/json-text.ts'

/** Members of messages and deltas with texts that the model did not write. */
const notWords = new Set(['role', 'type', 'id', 'object', 'detail', 'format', 'file_id', 'logprobs'])

/**
 * Members of a choice, of an event or of an item of a response with texts that the model did not write, or that repeat
 * what it wrote. All others count, because providers invent names for reasoning.
 */
const wordlessMembers: ReadonlySet<string> = new Set([
  ...notWords,
  ...['finish_reason', 'native_finish_reason', 'stop_reason', 'matched_stop', 'finish_details', 'status', 'error'],
  ...['usage', 'prompt_logprobs', 'token_ids', 'prompt_token_ids', 'content_filter_results', 'content_filter_result'],
  ...['event_id', 'item_id', 'response_id', 'call_id', 'container_id', 'obfuscation', 'model', 'system_fingerprint'],
  // Of tools that the provider runs: what they returned.
  ...['output', 'outputs', 'result', 'results', 'tools', 'server_label', 'encrypted_content', 'pending_safety_checks']
])

/** Whether a member of a choice, of an event or of an item may have words of the model. */
export const mayHaveWords = (name: string): boolean => !wordlessMembers.has(name)

/** The members with words of the model in a choice, or in an item of a response; null if it has none. */
export function wordsIn(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null
  const words = Object.entries(value).filter(([name, inner]) => inner != null && mayHaveWords(name))
  return words.length === 0 ? null : Object.fromEntries(words)
}

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
  // Some providers repeat the words of a delta beside it (Together).
  if (words.get('/text') === words.get('/content')) words.delete('/text')
  return words
}

/** The words of one choice in a stream of several answers. Its index gives their place. */
const wordsOfChoice = (choice: unknown): unknown => ({ index: memberOf(choice, 'index'), ...withoutRepeats(choice) })

/**
 * The words of a choice. A message beside a delta has the answer so far (Perplexity). A text beside them may repeat
 * them (Together).
 */
function withoutRepeats(choice: unknown): Record<string, unknown> | null {
  const words = wordsIn(choice)
  if (words === null) return null
  const { delta, message, text, ...others } = words
  const main = delta ?? message
  if (main === undefined) return words
  const isRepeated = text === memberOf(main, 'content')
  return { main, ...(!isRepeated && { text }), ...others }
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
  const written = Array.isArray(choices) ? choices.map(withoutRepeats) : outputOf(body)
  gatherWords(written, '', words)
  return words
}

/** What the model wrote into a response or a message; for another body, all of it. */
function outputOf(body: unknown): unknown {
  const [output, content] = [memberOf(body, 'output'), memberOf(body, 'content')]
  if (memberOf(body, 'object') === 'response' && Array.isArray(output)) return output.map(wordsIn)
  return memberOf(body, 'type') === 'message' && Array.isArray(content) ? content : body
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
