import { textOf } from './prompt-text.ts'
import type { ChatRequest, Tool } from './requests.ts'

export function toolName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

/**
 * The tools that the model calls: those that the last message names, if it is a user's (as the answer to a tool's result
 * is a text); with `tool_choice` `required` at least the first one, with a named tool that one. With
 * `parallel_tool_calls: false` at most one.
 */
export function chooseTools(request: ChatRequest): readonly Tool[] {
  const { tool_choice: choice, messages, parallel_tool_calls: parallel } = request
  const tools = request.tools ?? []
  if (tools.length === 0 || choice === 'none') return []
  if (typeof choice === 'object' && choice !== null && !('allowed_tools' in choice)) {
    const name = choice.function?.name ?? choice.custom?.name
    return tools.filter((tool) => toolName(tool) === name).slice(0, 1)
  }
  const allowed = typeof choice === 'object' ? choice?.allowed_tools : undefined
  const names = allowed?.tools.map((tool) => tool.function?.name ?? tool.custom?.name)
  const open = tools.filter((tool) => names === undefined || names.includes(toolName(tool)))
  const last = messages.at(-1)
  const text = last?.role === 'user' ? textOf(last) : ''
  const asked = open.filter((tool) => text.includes(toolName(tool)))
  const isRequired = choice === 'required' || allowed?.mode === 'required'
  const called = asked.length === 0 && isRequired ? open.slice(0, 1) : asked
  return parallel === false ? called.slice(0, 1) : called
}
