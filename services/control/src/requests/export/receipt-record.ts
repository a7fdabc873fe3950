import { apis, modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import { type RareCounter, type RareCounts, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import type { LogRecord, LogValue } from '@tollgate/service/log-export/log-sender.ts'
import { attributes as names } from '@tollgate/service/tracing/attribute-names.ts'
import { toFailedAttempt } from '../request-row.ts'

/** OpenTelemetry's name of each operation, by the path of its route. As in traces, others have none. */
const operations: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(apis).map(({ path, kind }) => [path, modelKinds[kind].operation])
)

/**
 * A receipt as a record of an OpenTelemetry log. Its time is that of the admission. What a receipt does not know has no
 * attribute. Two records with the same `tollgate.request.id` are of one request: `settled` replaces `reaped`, and equal
 * ones are repeated.
 */
export function receiptRecord(receipt: Receipt): LogRecord {
  const { status } = receipt
  return {
    atMs: Math.round(receipt.at * 1000),
    eventName: 'tollgate.request',
    body: `${receipt.endpoint} ${status ?? 'without an answer'}`,
    severity: status === null || status >= 500 ? 'warn' : 'info',
    attributes: withoutUnknown({
      ...requestOf(receipt),
      ...answerOf(receipt),
      ...usageOf(receipt)
    })
  }
}

const requestOf = (receipt: Receipt) => ({
  [names.requestId]: receipt.id,
  [names.receiptKind]: receipt.kind,
  [names.receiptCount]: receipt.count,
  [names.accountId]: receipt.account,
  [names.keyId]: receipt.key,
  [names.clientAddress]: receipt.address,
  [names.httpRoute]: receipt.endpoint,
  [names.operation]: operations[receipt.endpoint],
  [names.requestModel]: receipt.model,
  [names.askedModel]: receipt.askedModel,
  [names.isStream]: receipt.isStream
})

const answerOf = (receipt: Receipt) => ({
  [names.provider]: receipt.upstream,
  [names.responseModel]: receipt.answeredModel,
  [names.attempts]: receipt.attempts,
  [names.failedAttempts]: failedText(receipt.failedAttempts),
  [names.httpStatus]: receipt.status,
  [names.errorType]: receipt.code,
  ...(receipt.refused !== null && {
    [names.refusedUnit]: receipt.refused.unit === 'nanos' ? 'nanodollars' : 'tokens',
    [names.refusedNeeded]: receipt.refused.needed,
    [names.refusedLeft]: receipt.refused.left,
    [names.refusedLimit]: receipt.refused.limit
  }),
  [names.clientGone]: receipt.clientGone,
  [names.timeToFirstChunk]: seconds(receipt.firstByteMs),
  [names.requestDuration]: seconds(receipt.durationMs)
})

const usageOf = (receipt: Receipt) => ({
  [names.costNanos]: receipt.costNanos,
  [names.isEstimated]: receipt.isEstimated,
  [names.heldNanos]: receipt.heldNanos,
  [names.heldTokens]: receipt.heldTokens,
  [names.grantedTokens]: receipt.grantedTokens,
  [names.serviceTier]: receipt.tier,
  [names.rates]: receipt.rates,
  [names.inputTokens]: receipt.promptTokens,
  [names.cachedInputTokens]: receipt.cachedTokens,
  [names.outputTokens]: receipt.completionTokens,
  [names.reasoningTokens]: receipt.reasoningTokens,
  ...rareOf(receipt.rare ?? {})
})

/** OpenTelemetry's name is for cache writes of any time. The other rare meters have names of our own. */
const rareOf = ({ cacheWriteTokens = 0, ...others }: RareCounts) => ({
  [names.cacheWriteTokens]: orNone(cacheWriteTokens + (others.longCacheWriteTokens ?? 0)),
  ...Object.fromEntries(
    Object.entries(others).map(([counter, count]) => [`tollgate.usage.${usageCounters[counter as RareCounter]}`, count])
  )
})

/** JSON, as `failed_attempts` in the API; null for none. */
const failedText = (failed: Receipt['failedAttempts']) =>
  failed.length === 0 ? null : JSON.stringify(failed.map(toFailedAttempt))

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
/** Most requests have none of the rare counts. */
const orNone = (count: number) => (count === 0 ? null : count)

function withoutUnknown(values: Record<string, LogValue | null | undefined>): Record<string, LogValue> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null)) as Record<string, LogValue>
}
