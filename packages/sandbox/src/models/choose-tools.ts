import { textOf } from './prompt-text.ts'
import type { ChatRequest, Tool } from './requests.ts'

export function toolName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

/**
 * Chooses the tools to call: those named in the last message besides instructions, if a user wrote it. `tool_choice: required` calls at least the
 * first tool; a named tool is always called. `parallel_tool_calls: false` allows one call. A tool's result gets a text.
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
  const last = messages.findLast(({ role }) => role !== 'system' && role !== 'developer')
  const text = last?.role === 'user' ? textOf(last) : ''
  const asked = open.filter((tool) => text.includes(toolName(tool)))
  const isRequired = choice === 'required' || allowed?.mode === 'required'
  const called = asked.length === 0 && isRequired ? open.slice(0, 1) : asked
  return parallel === false ? called.slice(0, 1) : called
}
