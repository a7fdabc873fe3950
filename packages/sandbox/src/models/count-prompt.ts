import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { computeChatCompletionTokenCount } from 'gpt-tokenizer/functionCalling'
import { invalidRequest } from './api-error.ts'
import { audioTokens } from './audio-tokens.ts'
import { imageTokens } from './image-tokens.ts'
import { textOf } from './prompt-text.ts'
import type { ChatRequest, Message, Tool } from './requests.ts'

export interface PromptTokens {
  /** All of the prompt, the audio included. */
  readonly total: number
  readonly audio: number
}

/**
 * The tokens of a chat's prompt, counted as OpenAI's cookbook says ("How to count tokens with tiktoken"): role, name and
 * text of each message plus 3, plus 3 for the start of the answer, and the tools as the type declarations that the model
 * is shown. Images cost what the model's formula says, audio 10 tokens per second.
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
    // It walks through the schemas as if they were well formed.
    if (cause instanceof TypeError)
      throw invalidRequest('Invalid schema of a tool.', 'tools', 'invalid_function_parameters')
    throw cause
  }
}

// What the same formula adds for a function call of an assistant's message.
const callOverhead = 3

function flatten(message: Message): { role: string; content: string; name?: string } {
  const flat = { role: message.role, content: textOf(message) }
  return typeof message.name === 'string' ? { ...flat, name: message.name } : flat
}

/** The formula knows functions only; a custom tool is shown to the model as one that takes a text. */
function describeTool(tool: Tool) {
  const { name, description } = tool.type === 'function' ? tool.function : tool.custom
  const parameters =
    tool.type === 'function' ? (tool.function.parameters ?? {}) : { properties: { input: { type: 'string' } } }
  // The formula reads what it knows of a JSON schema and shows everything else as `any`.
  const shown = { name, parameters: { type: 'object' as const, ...parameters } }
  return typeof description === 'string' ? { ...shown, description } : shown
}
