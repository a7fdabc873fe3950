import type { Used } from '../settlement/outcome.ts'
import { isComplete, type ReportedUsage, type Usage } from '../usage/usage.ts'
import type { EventFlow } from './event-flow.ts'
import type { JsonBody } from './json-body.ts'

/** How a request ended: with a whole answer, with a cut answer, or without one. */
export type End = 'whole' | 'cut' | 'unserved'

/** The received part of an answer: a single body, a stream, or nothing yet. */
export type ReceivedAnswer = JsonBody | EventFlow | null

/** Facts besides the answer that decide what is charged. */
export interface UsageContext {
  /** Whether the endpoint has output. Embeddings have none. */
  readonly hasOutput: boolean
  /** Whether the model produces output that the answer does not show. */
  readonly hidesOutput: boolean
  /** Whether the answer is a stream; before its head, whether the request asks for a stream. */
  readonly isStreamed: boolean
  /** Whether the provider may bill more of an aborted stream than the part that arrived. */
  readonly mayBillMore: boolean
}

/** Whether the upstream reported all of the usage, so that nothing is estimated. */
export function isReported(usage: ReportedUsage | null, hasOutput: boolean): usage is Usage {
  return hasOutput ? isComplete(usage) : usage !== null && usage.promptTokens !== null
}

/**
 * Decides how a call with the wrong kind of answer ended. Without work or usage, the provider served nothing. A single
 * body may be whole although the request asked for a stream.
 */
export function endOfMalformed(answer: ReceivedAnswer): End {
  if (answer === null) return 'unserved'
  // The provider made the whole body, and bills it.
  if (!('received' in answer) && answer.isWhole) return 'whole'
  // However its bytes arrived, a body with an error costs what it reports, and nothing else.
  const hasWork = 'received' in answer ? answer.hasWork : answer.isAnswer && !answer.isError
  return hasWork || answer.usage !== null ? 'cut' : 'unserved'
}

/** Decides what a request is charged: the reported usage, an estimate of the received part, or its hold. */
export function chargedUsage(
  end: Exclude<End, 'unserved'>,
  answer: ReceivedAnswer,
  { hasOutput, hidesOutput, isStreamed, mayBillMore }: UsageContext
): Used {
  const isCut = end === 'cut'
  const stream = answer !== null && 'received' in answer ? answer : null
  const body = answer !== null && !('received' in answer) ? answer : null
  // An incomplete event may have words, too.
  if (isCut) stream?.end()
  const usage = answer?.usage ?? null
  const hasMore = stream?.hasWordsAfterUsage ?? false
  const isFinal = body !== null || (stream?.isUsageFinal ?? false) || (!isCut && !hasMore)
  if (isFinal && isReported(usage, hasOutput)) return hasOutput ? usage : { ...usage, completionTokens: 0 }
  if (body !== null) return chargedForBody(body, isCut, hasOutput, hidesOutput)
  if (isCut && (!isStreamed || mayBillMore)) return 'hold'
  if (hidesOutput && (usage === null || hasMore)) return 'hold'
  const { bytes, unseenBytes } = stream?.received.received() ?? nothing
  return {
    received: { answer: bytes, isStream: true, unseenBytes, isCut },
    reported: usage,
    mayHaveWrittenMore: isCut || hasMore
  }
}

function chargedForBody(body: JsonBody, isCut: boolean, hasOutput: boolean, hidesOutput: boolean): Used {
  const { usage, remaining } = body
  const { bytes, unseenBytes } = body.passed()
  if (!isCut && (!hidesOutput || usage !== null)) {
    const answer = hasOutput ? bytes : nothing.bytes
    return { received: { answer, isStream: false, unseenBytes, isCut }, reported: usage, mayHaveWrittenMore: isCut }
  }
  // A single body is made before its first byte, so its length bounds its tokens.
  if (remaining < 0 || hidesOutput) return 'hold'
  const length = bytes.length + unseenBytes + remaining
  return {
    received: { answer: nothing.bytes, isStream: false, unseenBytes: length, isCut },
    reported: usage,
    mayHaveWrittenMore: isCut
  }
}

const nothing = { bytes: Buffer.alloc(0), unseenBytes: 0 }
