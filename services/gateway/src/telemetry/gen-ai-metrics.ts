import { FastCounter, FastHistogram } from '@tollgate/service/metrics/fast-series.ts'
import { firstTokenBounds, perTokenBounds } from '@tollgate/state/served/served-row.ts'
import type { Registry } from 'prom-client'

// OpenTelemetry's conventions for generative AI are still in development, so all their names are in this file:
// https://github.com/open-telemetry/semantic-conventions-genai/tree/main/docs/gen-ai (read in November 2026)

const labelNames = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const

const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)
const durationBuckets = Array.from({ length: 14 }, (_, power) => (2 ** power * 10) / 1000)

export type GenAiMetrics = ReturnType<typeof createGenAiMetrics>

/**
 * The metrics that OpenTelemetry names. The provider is the upstream of the last call; it is empty if there was no
 * call.
 */
export function createGenAiMetrics(registry: Registry) {
  const counter = (name: string, help: string) => new FastCounter({ name, help, labelNames, registry })
  return {
    inputTokens: counter(
      'gen_ai_client_inference_usage_input_tokens_total',
      'Charged input tokens, cached ones included; the same numbers as in the ledger. Some are estimates'
    ),
    outputTokens: counter(
      'gen_ai_client_inference_usage_output_tokens_total',
      'Charged output tokens, reasoning included; the same numbers as in the ledger. Some are estimates'
    ),
    cachedTokens: counter(
      'gen_ai_client_inference_usage_cache_read_input_tokens_total',
      'Charged input tokens that the provider read from its cache; part of the input tokens'
    ),
    reasoningTokens: counter(
      'gen_ai_client_inference_usage_reasoning_output_tokens_total',
      'Charged output tokens of hidden reasoning; part of the output tokens'
    ),
    tokenUsage: new FastHistogram({
      name: 'gen_ai_client_token_usage',
      help: 'Charged tokens of one request, by type: input or output',
      labelNames: [...labelNames, 'gen_ai_token_type'] as const,
      buckets: tokenBuckets,
      registry
    }),
    requestDuration: new FastHistogram({
      name: 'gen_ai_server_request_duration_seconds',
      help: 'Seconds of an admitted request, from its arrival to the end of its answer. error_type is the error code, empty for success',
      labelNames: [...labelNames, 'error_type'] as const,
      buckets: durationBuckets,
      registry
    }),
    timeToFirstToken: new FastHistogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'Seconds from the arrival of a request to the first bytes of its stream. Successful streams only. A stream without an event for 10 seconds counts with about 10',
      labelNames,
      buckets: firstTokenBounds,
      registry
    }),
    timePerOutputToken: new FastHistogram({
      name: 'gen_ai_server_time_per_output_token_seconds',
      help: 'Seconds per output token after the first one. Successful streams whose provider reported the tokens and showed all of them',
      labelNames,
      buckets: perTokenBounds,
      registry
    })
  }
}
