import { formatMs, type RequestDetail } from './describe-request.ts'

/** A call to a provider. */
export interface ListedAttempt {
  /** Its place among the calls of the request, from 1. */
  readonly number: number
  readonly provider: string
  readonly isFailure: boolean
  readonly outcome: string
  /** null if nothing is known of it. */
  readonly time: string | null
}

type Told = Pick<
  RequestDetail,
  'attempts' | 'failed_attempts' | 'upstream' | 'status' | 'code' | 'client_gone' | 'first_byte_ms'
>

/**
 * All calls of a request to providers, in their order.
 *
 * @returns none if the only call has not failed, or if the log has only the number of calls: it was so for older requests
 */
export function listAttempts(request: Told): ListedAttempt[] {
  const { attempts, failed_attempts: failed, upstream } = request
  if (failed.length === 0 || attempts > failed.length + 1) return []
  const listed = failed.map(({ upstream: provider, code, status, started_ms, duration_ms }, index) => ({
    number: index + 1,
    provider,
    isFailure: true,
    outcome: `${status === null ? 'No answer' : `Status ${status}`}: ${code}`,
    time: `Began after ${formatMs(started_ms)}, failed ${formatMs(duration_ms)} later`
  }))
  if (attempts === failed.length || upstream === null) return listed
  const last = { number: attempts, provider: upstream, isFailure: false, outcome: outcomeOfLast(request) }
  const { first_byte_ms: first } = request
  return [
    ...listed,
    { ...last, time: first === null ? null : `First byte ${formatMs(first)} after the request arrived` }
  ]
}

function outcomeOfLast({ status, code, client_gone: isGone }: Told): string {
  if (isGone) return 'Still under way when the client left'
  if (code === null) return 'Answered'
  return `Status ${status ?? 'unknown'}: ${code}`
}
