import { memberOf } from '../../body/json-text.ts'
import { tokensOf } from '../../usage/reported-counts.ts'

/** What is read of an item of a response's output. */
interface Item {
  readonly type?: unknown
  readonly status?: unknown
  /** The type of its action. */
  readonly action?: unknown
}

/** Items of an answer that stand for a call of a tool which the provider runs, with the type of the tool. */
const toolOfItem: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
  ['mcp_call', 'mcp']
])

/** Whether an item of this type stands for a call of a tool which the provider runs. */
export const isHostedCall = (type: unknown): boolean => toolOfItem.has(type)

/**
 * Counts the calls of the provider's tools in a response, by the type of tool. `tool_usage` may skip calls, and one
 * call in the output may be several searches: the larger one counts.
 *
 * @param toolUsage the member `tool_usage`
 */
export function hostedCalls(items: readonly Item[], toolUsage: unknown): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) {
    const tool = toolOfItem.get(item.type)
    if (tool !== undefined && isBilled(item)) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  }
  if (typeof toolUsage !== 'object' || toolUsage === null) return counts
  for (const type of Object.keys(toolUsage)) {
    const count = tokensOf(memberOf(toolUsage, type), 'num_requests') ?? 0
    if (count > 0) counts.set(type, Math.max(count, counts.get(type) ?? 0))
  }
  return counts
}

/** A search that failed costs nothing, and neither does opening a page that was found. */
function isBilled({ type, status, action }: Item): boolean {
  if (type !== 'web_search_call') return true
  return (status === undefined || status === 'completed') && (action === undefined || action === 'search')
}
