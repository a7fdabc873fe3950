import type { Behaviour } from '../model-name.ts'
import { type Counted, oddTokens, type ReportedUsage } from '../usage.ts'

/** Builds the usage of a response. @returns null if the model name asks to omit it */
export function reportResponseUsage(counted: Counted, behaviour: Behaviour): ReportedUsage | null {
  const odd = behaviour['odd-usage']
  if (behaviour['no-usage'] === true) return null
  if (odd === 'none') return {}
  const { cacheWriteTokens: short, cacheWriteLongTokens: long } = counted.kinds
  const output = behaviour['report-tokens'] ?? counted.completionTokens
  return {
    input_tokens: counted.promptTokens,
    input_tokens_details: {
      cached_tokens: counted.cachedTokens,
      cache_write_tokens: short + long,
      ...(short + long > 0 && { cache_write_tokens_details: { ttl_30m_tokens: short, ttl_12h_tokens: long } })
    },
    ...(odd !== 'missing' && { output_tokens: odd === undefined ? output : oddTokens(odd, counted) }),
    output_tokens_details: { reasoning_tokens: counted.reasoningTokens },
    ...((odd === undefined || odd === 'outside') && { total_tokens: counted.promptTokens + output })
  }
}
