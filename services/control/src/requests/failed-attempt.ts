import type { FailedAttempt } from '@tollgate/contracts/http/requests.ts'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'

/** A failed call of a receipt as the API, the log and the export show it. */
export const toFailedAttempt = (failed: Receipt['failedAttempts'][number]): FailedAttempt => ({
  upstream: failed.upstream,
  code: failed.code,
  status: failed.status,
  started_ms: failed.startedMs,
  duration_ms: failed.durationMs
})
