import type { SpanAttributes } from './tracing.ts'

/**
 * Names of attributes in traces and in exported receipts. Most are those of OpenTelemetry: `gen_ai.*` of the
 * conventions for generative AI, which are still in development, and the stable ones of HTTP. Names that begin with
 * `tollgate.` are our own.
 */
export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  isStream: 'gen_ai.request.stream',
  choices: 'gen_ai.request.choice.count',
  responseModel: 'gen_ai.response.model',
  /** Seconds. */
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  /** For any time. The other rare meters are `tollgate.usage.` and their column. */
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlScheme: 'url.scheme',
  urlPath: 'url.path',
  requestId: 'tollgate.request.id',
  accountId: 'tollgate.account.id',
  keyId: 'tollgate.key.id',
  attempts: 'tollgate.attempts',
  failedAttempts: 'tollgate.failed_attempts',
  costNanos: 'tollgate.cost.nanodollars',
  isEstimated: 'tollgate.usage.estimated',
  clientGone: 'tollgate.client.gone',
  clientAddress: 'client.address',
  /** The alias that a request named its model by. */
  askedModel: 'tollgate.request.asked_model',
  receiptKind: 'tollgate.receipt.kind',
  /** For how many equal requests a receipt stands. */
  receiptCount: 'tollgate.receipt.count',
  heldNanos: 'tollgate.hold.nanodollars',
  heldTokens: 'tollgate.hold.tokens',
  grantedTokens: 'tollgate.granted_output_tokens',
  refusedUnit: 'tollgate.refused.unit',
  refusedNeeded: 'tollgate.refused.needed',
  refusedLeft: 'tollgate.refused.left',
  refusedLimit: 'tollgate.refused.limit',
  serviceTier: 'tollgate.service_tier',
  /** JSON of the prices that gave the cost. */
  rates: 'tollgate.rates',
  /** Seconds from the arrival of a request to its end. */
  requestDuration: 'tollgate.request.duration'
} as const

/** The server that a call goes to, for its span. OpenTelemetry writes IPv6 addresses without brackets. */
export function serverAttributes({ hostname, port, protocol }: URL): SpanAttributes {
  return {
    [attributes.serverAddress]: hostname.replace(/^\[|\]$/g, ''),
    [attributes.serverPort]: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  }
}
