import type { Used } from '../settlement/outcome.ts'
import type { Attempt } from './attempt.ts'
import { type End, usedOf } from './used-of.ts'

/** What the request is charged for an attempt. */
export function usedBy(attempt: Attempt, end: Exclude<End, 'unserved'>): Used {
  const { request, sink } = attempt
  return usedOf(end, sink === null ? null : sink.came, {
    hasOutput: request.output !== null,
    hidesOutput: request.hidesOutput,
    isStreamed: isStreamed(attempt),
    isBilledOn: isBilledOn(attempt)
  })
}

/** Whether what a stream brings until its end is known tells what the provider bills. */
export function canLeave(attempt: Attempt): boolean {
  return isStreamed(attempt) && !isBilledOn(attempt)
}

/** Whether the answer is a stream, or will be as far as is known. */
function isStreamed({ request, sink }: Attempt): boolean {
  return sink?.kind === 'stream' || (request.isStream && sink?.kind !== 'whole')
}

/** Whether the provider may bill more of a stream than what has come of it, although it is aborted. */
function isBilledOn({ request, upstream }: Attempt): boolean {
  return request.hidesOutput || !upstream.abortStopsBilling
}
