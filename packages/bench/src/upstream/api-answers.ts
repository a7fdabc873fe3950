import type { BenchApi } from '../load/requests.ts'
import { eventsOf, plainAnswer, type StreamPieces, type StreamShape, streamPieces } from './answers.ts'
import {
  messagesAnswer,
  messagesEvents,
  messagesPieces,
  responsesAnswer,
  responsesEvents,
  responsesPieces
} from './typed-answers.ts'

/** The prepared answers of one API. */
export interface ApiAnswers {
  readonly plain: Buffer
  readonly pieces: StreamPieces
}

export const prepareAnswers = (): Record<BenchApi, ApiAnswers> => ({
  chat: { plain: plainAnswer(), pieces: streamPieces() },
  responses: { plain: responsesAnswer(), pieces: responsesPieces() },
  messages: { plain: messagesAnswer(), pieces: messagesPieces() }
})

/** The number of events of a stream. */
export function eventsOfApi(api: BenchApi, shape: StreamShape): number {
  if (api === 'chat') return eventsOf(shape)
  return shape.chunks + (api === 'responses' ? responsesEvents : messagesEvents)
}
