import { memberOf } from '../../body/json-text.ts'
import { nameOf, readParts, tokensOf } from '../../usage/reported-counts.ts'
import { noUsage, type ReportedUsage } from '../../usage/usage.ts'

/**
 * Reads the `usage` of a response (OpenAI's Responses API), and the tier in its `service_tier`. Cached and written
 * tokens are parts of the input, and reasoning of the output. The calls of the provider's tools are elsewhere: see
 * hosted-calls.ts.
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
    ...noUsage,
    ...readParts(
      memberOf(usage, 'input_tokens_details'),
      memberOf(usage, 'output_tokens_details'),
      input ?? 0,
      output ?? 0
    ),
    promptTokens: input,
    completionTokens: output,
    tier: nameOf(response, 'service_tier')
  }
}
