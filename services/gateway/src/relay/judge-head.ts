import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import { isKnownEncoding } from './answer-decoder.ts'

/** What an upstream's answer with a success status must be: a single JSON body, or a stream of events. */
export type AnswerKind = 'body' | 'stream'

/**
 * Judges the head of an answer below status 400. `text/plain` and a missing type are taken for JSON: the body tells.
 *
 * @returns the kind of answer, or why it is a failure of the provider
 */
export function judgeHead(
  status: number,
  { contentType, contentEncoding }: Pick<AnswerHead, 'contentType' | 'contentEncoding'>
): AnswerKind | { fault: string } {
  if (status > 203) return { fault: `has status ${status}` }
  if (contentEncoding !== undefined && !isKnownEncoding(contentEncoding)) return { fault: 'has an unknown encoding' }
  // Nearly all single bodies have this one.
  if (contentType === 'application/json' || contentType === undefined) return 'body'
  if (streamType.test(contentType)) return 'stream'
  return jsonType.test(contentType) ? 'body' : { fault: 'is neither JSON nor a stream' }
}

const streamType = /^text\/event-stream *(?:;|$)/i
const jsonType = /^(?:(?:application|text)\/json|application\/[\w.+-]+\+json|text\/plain) *(?:;|$)/i
