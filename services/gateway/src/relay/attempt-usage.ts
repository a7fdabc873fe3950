import type { Used } from '../settlement/outcome.ts'
import type { Upstream } from '../upstreams/upstreams.ts'
import { chargedUsage, type End } from './charged-usage.ts'
import type { RelayRequest } from './relay-request.ts'
import type { Sink } from './sink.ts'

/** The part of an attempt that decides what it costs. */
interface Attempt {
  readonly request: RelayRequest
  readonly upstream: Upstream
  readonly sink: Sink | null
}

/** Decides what the request is charged for an attempt. */
export function attemptUsage(attempt: Attempt, end: Exclude<End, 'unserved'>): Used {
  const { request, sink } = attempt
  return chargedUsage(end, sink === null ? null : sink.answer, {
    hasOutput: request.output !== null,
    hidesOutput: request.hidesOutput,
    isStreamed: isStreamed(attempt),
    mayBillMore: mayBillMore(attempt)
  })
}

/** Whether the gateway can end a stream early, because the provider bills only the part that arrives until then. */
export function canLeave(attempt: Attempt): boolean {
  return isStreamed(attempt) && !mayBillMore(attempt)
}

/** Whether the answer is a stream; before its head, whether the request asks for one. */
function isStreamed({ request, sink }: Attempt): boolean {
  return sink?.kind === 'stream' || (request.isStream && sink?.kind !== 'whole')
}

/** Whether the provider may bill more of an aborted stream than the part that arrived. */
function mayBillMore({ request, upstream }: Attempt): boolean {
  return request.hidesOutput || !upstream.abortStopsBilling
}
