import { memberOf } from '../body/member-of.ts'
import { callCounts, inputParts, nameOf, outputParts, tokensOf } from './reported-counts.ts'
import { nothingUsed, type ReportedUsage } from './usage.ts'

/** Items of an answer that stand for a call of a tool which the provider runs, with the type of the tool. */
const hostedCalls: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
  ['mcp_call', 'mcp']
])

/**
 * Reads the usage of a response (OpenAI's Responses API): its `usage`, `service_tier`, `tool_usage` and the calls in its output. Cached
 * and written tokens are parts of the input, and reasoning of the output.
 *
 * @param response the object of a whole answer, or of the last event of a stream
 * @returns null if it has neither input nor output tokens
 */
export function readResponsesUsage(response: unknown): ReportedUsage | null {
  const usage = memberOf(response, 'usage')
  const input = tokensOf(usage, 'input_tokens') || null
  let output = tokensOf(usage, 'output_tokens')
  if (input === null && output === null) return null
  const total = tokensOf(usage, 'total_tokens')
  if (total !== null && input !== null && total > input) output = Math.max(output ?? 0, total - input)
  return {
    ...nothingUsed,
    ...inputParts(memberOf(usage, 'input_tokens_details'), input ?? 0),
    ...outputParts(memberOf(usage, 'output_tokens_details'), output ?? 0),
    ...callCounts(countCalls(response)),
    promptTokens: input,
    completionTokens: output,
    tier: nameOf(response, 'service_tier')
  }
}

/** Calls by the type of tool. `tool_usage` may skip calls, and one call in the output may be several searches: the larger one counts. */
function countCalls(response: unknown): Map<string, number> {
  const counts = new Map<string, number>()
  const output = memberOf(response, 'output')
  for (const item of Array.isArray(output) ? output : []) {
    const type = hostedCalls.get(memberOf(item, 'type'))
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  const reported = memberOf(response, 'tool_usage')
  if (typeof reported !== 'object' || reported === null) return counts
  for (const type of Object.keys(reported)) {
    const count = tokensOf(memberOf(reported, type), 'num_requests') ?? 0
    if (count > 0) counts.set(type, Math.max(count, counts.get(type) ?? 0))
  }
  return counts
}
