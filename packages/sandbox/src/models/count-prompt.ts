import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { computeChatCompletionTokenCount } from 'gpt-tokenizer/functionCalling'
import { invalidRequest } from './api-error.ts'
import { audioTokens, imageTokens } from './media-tokens.ts'
import { type ChatRequest, type Message, type Tool, textOf } from './requests.ts'

export interface PromptTokens {
  /** All prompt tokens, including audio. */
  readonly total: number
  readonly audio: number
}

/**
 * Counts the tokens of a chat's prompt as OpenAI's cookbook does ("How to count tokens with tiktoken"). Each message
 * counts its role, name and text plus 3; the start of the answer counts 3. Tools count as the type declarations that
 * the model sees. Images count by the model's formula; audio counts 10 tokens per second.
 */
export function countPrompt({ model, messages, tools, tool_choice: choice }: ChatRequest): PromptTokens {
  const functions = choice === 'none' ? [] : (tools ?? []).map(describeTool)
  const text = countText(messages.map(flatten), functions)
  let calls = 0
  let images = 0
  let audio = 0
  for (const { content, tool_calls } of messages) {
    for (const call of tool_calls ?? []) {
      const { name, input } = call.custom ?? { name: call.function?.name ?? '', input: call.function?.arguments ?? '' }
      calls += countTokens(name) + countTokens(input) + callOverhead
    }
    for (const part of Array.isArray(content) ? content : []) {
      images += imageTokens(part, model)
      audio += audioTokens(part)
    }
  }
  return { total: text + calls + images + audio, audio }
}

function countText(messages: ReturnType<typeof flatten>[], functions: ReturnType<typeof describeTool>[]): number {
  try {
    return computeChatCompletionTokenCount({ messages, functions }, countTokens)
  } catch (cause) {
    // The library assumes valid schemas and throws otherwise.
    if (cause instanceof TypeError)
      throw invalidRequest('Invalid schema of a tool.', 'tools', 'invalid_function_parameters')
    throw cause
  }
}

// The tokens that the formula adds for a function call of an assistant's message.
const callOverhead = 3

function flatten(message: Message): { role: string; content: string; name?: string } {
  const flat = { role: message.role, content: textOf(message) }
  return typeof message.name === 'string' ? { ...flat, name: message.name } : flat
}

/** The formula knows only functions, so a custom tool counts as a function with a text argument. */
function describeTool(tool: Tool) {
  const { name, description } = tool.type === 'function' ? tool.function : tool.custom
  const parameters =
    tool.type === 'function' ? (tool.function.parameters ?? {}) : { properties: { input: { type: 'string' } } }
  // The formula shows the unknown parts of a JSON schema as `any`.
  const definition = { name, parameters: { type: 'object' as const, ...parameters } }
  return typeof description === 'string' ? { ...definition, description } : definition
}
