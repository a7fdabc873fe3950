import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { invalidRequest } from './api-error.ts'
import { chooseTools, toolName } from './choose-tools.ts'
import { type HiddenTokens, hiddenTokens, timesHidden } from './hidden-tokens.ts'
import { randomId } from './ids.ts'
import { minimalValue } from './minimal-value.ts'
import type { Behaviour } from './model-name.ts'
import { type Produced, type ProducedCall, produceCalls, produceFlood, produceText } from './produce.ts'
import { textOf } from './prompt-text.ts'
import type { ChatRequest, Tool } from './requests.ts'
import { findSample } from './sample-answers.ts'
import { splitIntoPieces } from './tokens.ts'
import { writeText } from './write-text.ts'

export interface ProducedChat {
  readonly choices: readonly Produced[]
  /** Hidden tokens of all choices. They come first and count against the limit. */
  readonly hidden: HiddenTokens
}

/**
 * Produces the answer to a chat: tool calls if requested, else JSON if the response format requests it, else a sample answer
 * for a question that asks for code or a table, else a text about the last message of a user or a tool. Equal requests get equal answers.
 */
export function produceChat(request: ChatRequest, behaviour: Behaviour): ProducedChat {
  const { max_tokens: older, max_completion_tokens: newer, stop, n } = request
  if (typeof older === 'number' && typeof newer === 'number') {
    throw invalidRequest(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens'
    )
  }
  const limit = newer ?? older ?? Number.POSITIVE_INFINITY
  const hidden = hiddenTokens(behaviour, limit)
  const tools = chooseTools(request)
  const produce = (index: number) => {
    if (behaviour['flood-mb'] !== undefined) return produceFlood(behaviour['flood-mb'])
    if (tools.length > 0) return produceCalls(tools.map(callTool), limit - hidden.total)
    return produceText(writeAnswer(request, index), stop, limit - hidden.total)
  }
  const choices = Array.from({ length: n ?? 1 }, (_, index) => produce(index))
  return { choices, hidden: timesHidden(hidden, choices.length) }
}

function callTool(tool: Tool): ProducedCall {
  const name = toolName(tool)
  const text = tool.type === 'function' ? JSON.stringify(minimalValue(tool.function.parameters ?? {})) : 'sandbox'
  return { id: randomId('call_'), type: tool.type, name, nameTokens: countTokens(name), pieces: splitIntoPieces(text) }
}

function writeAnswer({ messages, response_format: format }: ChatRequest, index: number): string {
  if (format?.type === 'json_schema') return JSON.stringify(minimalValue(format.json_schema.schema ?? {}))
  const source = messages.findLast(({ role }) => role === 'user' || role === 'tool' || role === 'function')
  const prompt = source === undefined ? '' : textOf(source)
  if (format?.type === 'json_object') return JSON.stringify({ reply: writeText(prompt, index, null) })
  if (prompt === '') return writeText('', index, null)
  if (source?.role !== 'user') return writeText(prompt, index, 'The tool answered')
  return findSample(prompt) ?? writeText(prompt, index, 'You said')
}
