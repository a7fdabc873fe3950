import { ApiError, invalidRequest } from '../api-error.ts'
import type { Seal } from '../produce.ts'
import { randomId } from '../write-text.ts'
import { parseItem, readParts, type WholeItem } from './items.ts'
import { type PromptRequest, pathOf, previousNotFound } from './request.ts'
import type { ResponseStore } from './store.ts'

export interface ReadItems {
  /** The items of the request, with ids. */
  readonly input: readonly WholeItem[]
  /** The items of earlier responses, then those of the request. */
  readonly all: readonly WholeItem[]
}

/**
 * Reads the items of a request: resolves its references, opens encrypted reasoning and pairs tool calls with outputs.
 *
 * @throws ApiError (400 or 404)
 */
export function readItems(request: PromptRequest, store: ResponseStore, seal: Seal): ReadItems {
  const { input, previous_response_id: previousId, conversation } = request
  if (conversation !== undefined && conversation !== null) {
    const id = typeof conversation === 'string' ? conversation : Reflect.get(Object(conversation), 'id')
    throw new ApiError(404, { message: `Conversation with id '${id}' not found.`, param: 'conversation' })
  }
  if ((input === undefined || input === null) && typeof previousId !== 'string') {
    const message = 'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.'
    throw invalidRequest(message, 'input', 'missing_required_parameter')
  }
  const previous = typeof previousId === 'string' ? store.find(previousId) : null
  if (typeof previousId === 'string' && previous === null) throw previousNotFound(previousId)
  const values = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  const items = values.map((value, index) => readItem(value, ['input', String(index)], store, seal))
  const all = [...(previous?.chain ?? []), ...items]
  checkCalls(all)
  return { input: items, all }
}

function readItem(value: unknown, path: readonly string[], store: ResponseStore, seal: Seal): WholeItem {
  const item = parseItem(value, path)
  if (item.type === 'item_reference') {
    const target = store.findItem(item.id)
    if (target !== null) return target
    const message = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
    throw new ApiError(404, { message, param: 'input' })
  }
  if (item.type === 'reasoning' && typeof item.encrypted_content === 'string') {
    // Like OpenAI, by the content alone: Codex sends no ids.
    if (seal.open(reasoningKind, item.encrypted_content) === null) {
      const message = `The encrypted content for item ${item.id ?? path.at(-1)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
      throw invalidRequest(message, pathOf(path), 'invalid_encrypted_content')
    }
  }
  if (item.type === 'compaction' && seal.open(compactionKind, item.encrypted_content) === null) {
    throw invalidRequest('The compacted conversation could not be read.', pathOf(path), 'invalid_encrypted_content')
  }
  if (item.type === 'message') return { ...item, id: item.id ?? randomId('msg_'), content: asParts(item) }
  return { ...item, id: item.id ?? randomId(prefixes[item.type]) }
}

/** What encrypted reasoning is sealed with. */
export const reasoningKind = 'reasoning'

/** What the content of compacted conversations is sealed with. */
export const compactionKind = 'compaction'

const prefixes: Record<Exclude<WholeItem['type'], 'message'>, string> = {
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
  additional_tools: 'at_',
  web_search_call: 'ws_',
  compaction: 'cmp_'
}

/** The content as the API stores it: a list of parts. */
function asParts({ role, content }: Extract<WholeItem, { type: 'message' }>): unknown[] {
  if (role === 'assistant' && typeof content === 'string') {
    return [{ type: 'output_text', text: content, annotations: [] }]
  }
  return readParts(content)
}

/** Each output needs its call, and each call its output. */
function checkCalls(items: readonly WholeItem[]): void {
  const calls = new Set<string>()
  const open = new Set<string>()
  for (const item of items) {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      calls.add(item.call_id)
      open.add(item.call_id)
    } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const kind = item.type === 'function_call_output' ? 'function call' : 'custom tool call'
      if (!calls.has(item.call_id)) {
        throw invalidRequest(`No tool call found for ${kind} output with call_id ${item.call_id}.`, 'input')
      }
      open.delete(item.call_id)
    }
  }
  const [missing] = open
  if (missing !== undefined) throw invalidRequest(`No tool output found for function call ${missing}.`, 'input')
}
