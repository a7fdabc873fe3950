import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, errorForStatus } from './api-error.ts'
import { describeModel, listModels } from './listed-models.ts'

/** How an API authenticates clients, words its errors and frames its streams. */
export interface Dialect {
  /** @throws ApiError (401) without the key */
  authorize(headers: IncomingHttpHeaders, apiKey: string): void
  /** Whether each event of a stream has an `event:` line with its type. */
  readonly namesEvents: boolean
  /** What follows the last event of a stream. */
  readonly streamEnd: string
  /** The shapes of the models and of their list. */
  readonly models: { list(query: URLSearchParams): object; describe(id: string): object }
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

/** Accepts the key as OpenAI's API does. @throws ApiError (401) */
export function authorizeBearer({ authorization }: IncomingHttpHeaders, apiKey: string): void {
  if (authorization === undefined) {
    const message = "You didn't provide an API key. Provide it in an Authorization header using Bearer auth."
    throw new ApiError(401, { message })
  }
  if (authorization !== `Bearer ${apiKey}`) {
    throw new ApiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' })
  }
}

export const openaiModels: Dialect['models'] = { list: listModels, describe: describeModel }

/** The dialect of OpenAI's chat, completions, embeddings and models. */
export const chatDialect: Dialect = {
  authorize: authorizeBearer,
  models: openaiModels,
  namesEvents: false,
  streamEnd: 'data: [DONE]\n\n',
  headers: openaiHeaders,
  errorBody: (error) => error.body,
  errorForStatus,
  errorEvent: () => ({ error: { message: failureMessage, type: 'server_error', param: null, code: null } })
}
