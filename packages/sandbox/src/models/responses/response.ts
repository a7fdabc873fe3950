import type { Response } from 'openai/resources/responses/responses'
import type { Behaviour } from '../model-name.ts'
import { type Counted, oddTokens, type ReportedUsage } from '../token-usage.ts'
import type { ResponseRequest } from './request.ts'

/** A response on the wire. The package adds `output_text` and does not know that `usage` may be null. */
export type SentResponse = Omit<Response, 'output_text' | 'usage'> & { usage: ReportedUsage | null }

/** A response in progress: it repeats the request's settings and has no output yet. */
export function describeResponse(
  request: ResponseRequest,
  id: string,
  createdS: number,
  tier: Response['service_tier']
): SentResponse {
  const echo = request as Partial<Response>
  return {
    id,
    object: 'response',
    created_at: createdS,
    status: 'in_progress',
    access_programs: null,
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: echo.instructions ?? null,
    max_output_tokens: echo.max_output_tokens ?? null,
    max_tool_calls: echo.max_tool_calls ?? null,
    metadata: echo.metadata ?? {},
    model: request.model,
    output: [],
    parallel_tool_calls: echo.parallel_tool_calls ?? true,
    previous_response_id: echo.previous_response_id ?? null,
    prompt_cache_key: echo.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...echo.reasoning },
    safety_identifier: echo.safety_identifier ?? null,
    service_tier: tier,
    text: { format: { type: 'text' }, ...echo.text },
    temperature: echo.temperature ?? 1,
    tool_choice: echo.tool_choice ?? 'auto',
    tools: echo.tools ?? [],
    top_logprobs: echo.top_logprobs ?? 0,
    top_p: echo.top_p ?? 1,
    truncation: echo.truncation ?? 'disabled',
    usage: null,
    ...(echo.user !== undefined && { user: echo.user })
  }
}

/** Builds the usage of a response. @returns null if the model name asks to omit it */
export function reportResponseUsage(counts: Counted, behaviour: Behaviour): ReportedUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return {}
  const { cacheWriteTokens: short, cacheWriteLongTokens: long } = counts.kinds
  const output = behaviour['report-tokens'] ?? counts.completionTokens
  return {
    input_tokens: counts.promptTokens,
    input_tokens_details: {
      cached_tokens: counts.cachedTokens,
      cache_write_tokens: short + long,
      ...(short + long > 0 && { cache_write_tokens_details: { ttl_30m_tokens: short, ttl_12h_tokens: long } })
    },
    ...(odd !== 'missing' && { output_tokens: odd === undefined ? output : oddTokens(odd, counts) }),
    output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
    ...((odd === undefined || odd === 'outside') && { total_tokens: counts.promptTokens + output })
  }
}
