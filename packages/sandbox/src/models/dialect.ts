import { type ApiError, errorForStatus } from './api-error.ts'

/** How an API words its errors and frames its streams. */
export interface Dialect {
  /** Whether each event of a stream has an `event:` line with its type. */
  readonly namesEvents: boolean
  /** What follows the last event of a stream. */
  readonly streamEnd: string
  /** Headers of every answer. @param id the record's id */
  headers(id: string): Record<string, string>
  errorBody(error: ApiError, id: string): object
  /** The error that the API sends with this status, for the directive `status`. */
  errorForStatus(status: number): ApiError
  /** The event with which a stream fails after `sent` events. */
  errorEvent(sent: number, id: string): object
}

export const failureMessage = 'The server had an error while processing your request. Sorry about that!'

/** Headers of OpenAI's API and its edge. A gateway must not pass all of them on. */
export const openaiHeaders = (id: string): Record<string, string> => ({
  'x-request-id': id,
  'openai-organization': 'sandbox',
  'openai-version': '2020-10-01',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-remaining-requests': '9999',
  'set-cookie': '__cf_bm=sandbox; path=/; HttpOnly'
})

/** The dialect of OpenAI's chat, completions, embeddings and models. */
export const chatDialect: Dialect = {
  namesEvents: false,
  streamEnd: 'data: [DONE]\n\n',
  headers: openaiHeaders,
  errorBody: (error) => error.body,
  errorForStatus,
  errorEvent: () => ({ error: { message: failureMessage, type: 'server_error', param: null, code: null } })
}
