import type { AnswerHead } from '../upstreams/upstream-pool.ts'
import { isKnownEncoding } from './answer-decoder.ts'

/** The kind of a successful answer: a single JSON body, or a stream of events. */
export type AnswerKind = 'body' | 'stream'

/**
 * Classifies an answer with a status below 300 by its head. `text/plain` and a missing type count as JSON; the body is checked later.
 *
 * @returns the kind of answer, or why the provider failed
 */
export function classifyHead(
  status: number,
  { contentType, contentEncoding }: Pick<AnswerHead, 'contentType' | 'contentEncoding'>
): AnswerKind | { fault: string } {
  if (status > 203) return { fault: `has status ${status}` }
  if (contentEncoding !== undefined && !isKnownEncoding(contentEncoding)) return { fault: 'has an unknown encoding' }
  // Nearly all single bodies have this type.
  if (contentType === 'application/json' || contentType === undefined) return 'body'
  if (streamType.test(contentType)) return 'stream'
  return jsonType.test(contentType) ? 'body' : { fault: 'is neither JSON nor a stream' }
}

const streamType = /^text\/event-stream *(?:;|$)/i
const jsonType = /^(?:(?:application|text)\/json|application\/[\w.+-]+\+json|text\/plain) *(?:;|$)/i
