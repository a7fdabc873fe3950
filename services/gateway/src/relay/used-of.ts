import type { Used } from '../settlement/outcome.ts'
import { isComplete, type ReportedUsage, type Usage } from '../usage/usage.ts'
import type { EventStream } from './event-stream.ts'
import type { JsonBody } from './json-body.ts'

/** How a request ended: its answer is whole; the client, gateway or provider cut it off; or the provider did not serve it. */
export type End = 'whole' | 'cut' | 'unserved'

/** The answer of a call, as far as it came: a single body, a stream, or nothing yet. */
export type Came = JsonBody | EventStream | null

/** What has to be known of a request to tell what its answer used. */
export type Metered = {
  /** Whether the endpoint has output. Embeddings have none. */
  readonly hasOutput: boolean
  /** Whether the answer does not show all that the model produces. */
  readonly hidesOutput: boolean
  /** Whether the answer is a stream, or will be as far as is known. */
  readonly isStreamed: boolean
  /** Whether the provider may bill more of a stream than what has come of it, although it is aborted. */
  readonly isBilledOn: boolean
}

/** Whether nothing of a usage has to be estimated. */
export function isReported(usage: ReportedUsage | null, hasOutput: boolean): usage is Usage {
  return hasOutput ? isComplete(usage) : usage !== null && usage.promptTokens !== null
}

/**
 * How a call ends whose answer is not what was asked for. Without words or usage the provider has served nothing. A single
 * body that answers a request for a stream may be whole.
 */
export function endOfBroken(came: Came): End {
  if (came === null) return 'unserved'
  // The provider has made and bills all of it.
  if (!('received' in came) && came.isWhole) return 'whole'
  const hasWords = 'received' in came ? came.received.size > 0 : came.isAnswer
  return hasWords || came.usage !== null ? 'cut' : 'unserved'
}

/** What a request is charged: what was reported, or what came of its answer, or all that was reserved. */
export function usedOf(
  end: Exclude<End, 'unserved'>,
  came: Came,
  { hasOutput, hidesOutput, isStreamed, isBilledOn }: Metered
): Used {
  const isCut = end === 'cut'
  const stream = came !== null && 'received' in came ? came : null
  const body = came !== null && !('received' in came) ? came : null
  // The event that was not complete has words, too.
  if (isCut) stream?.end()
  const usage = came?.usage ?? null
  const isOvertaken = stream?.isUsageOvertaken ?? false
  const isFinal = body !== null || (stream?.isUsageFinal ?? false) || (!isCut && !isOvertaken)
  if (isFinal && isReported(usage, hasOutput)) return hasOutput ? usage : { ...usage, completionTokens: 0 }
  if (body !== null) return usedOfBody(body, isCut, hasOutput, hidesOutput)
  if (isCut && (!isStreamed || isBilledOn)) return 'hold'
  if (hidesOutput && (usage === null || isOvertaken)) return 'hold'
  const { bytes, unseenBytes } = stream?.received.received() ?? nothing
  return {
    received: { answer: bytes, isStream: true, unseenBytes, isCut },
    reported: usage,
    isOvertaken: isCut || isOvertaken
  }
}

function usedOfBody(body: JsonBody, isCut: boolean, hasOutput: boolean, hidesOutput: boolean): Used {
  const { usage, remaining } = body
  const { bytes, unseenBytes } = body.passed()
  if (!isCut && (!hidesOutput || usage !== null)) {
    const answer = hasOutput ? bytes : nothing.bytes
    return { received: { answer, isStream: false, unseenBytes, isCut }, reported: usage, isOvertaken: isCut }
  }
  // All of a body exists before its first byte comes.
  if (remaining < 0 || hidesOutput) return 'hold'
  const length = bytes.length + unseenBytes + remaining
  return {
    received: { answer: nothing.bytes, isStream: false, unseenBytes: length, isCut },
    reported: usage,
    isOvertaken: isCut
  }
}

const nothing = { bytes: Buffer.alloc(0), unseenBytes: 0 }
