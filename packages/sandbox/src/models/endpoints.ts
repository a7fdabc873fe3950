import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './answer.ts'
import { answerChat } from './answer-chat.ts'
import { answerCompletion } from './answer-completion.ts'
import { answerEmbedding } from './answer-embedding.ts'
import type { Behaviour } from './model-name.ts'
import { requestParser } from './parse-request.ts'
import { ChatRequest, CompletionRequest, EmbeddingRequest } from './requests.ts'
import { answerResponse } from './responses/answer.ts'
import { countResponseInput, type ResponseState } from './responses/prompt.ts'
import { refuseResponseMember } from './responses/refuse.ts'
import { InputTokensRequest, ResponseRequest } from './responses/request.ts'
import { ResponseStore } from './responses/store.ts'
import { askStored } from './responses/stored-endpoints.ts'
import { createSeal } from './seal.ts'

/** A parsed request to a model. */
export interface ModelRequest {
  /** The model name of the request, including directives. */
  readonly model: string
  readonly stream: boolean
  /** @param model the name without directives. @throws ApiError (400) */
  answer(model: string, behaviour: Behaviour, createdS: number): Answer
}

/** A parsed request to count a prompt, which runs no model. */
export interface CountRequest {
  readonly model: string
  count(): object
}

/** What the server offers besides the list of models. */
export interface Endpoints {
  /** The endpoints that run a model, by path. All take POST. @throws ApiError (400) from a reader */
  readonly models: ReadonlyMap<string, (body: Buffer, headers: IncomingHttpHeaders) => ModelRequest>
  /** The endpoints that count a prompt, by path. All take POST. @throws ApiError (400) from a reader */
  readonly counters: ReadonlyMap<string, (body: Buffer, headers: IncomingHttpHeaders) => CountRequest>
  /** Answers a request about a stored response; null for another path. @throws ApiError (400 or 404) */
  stored(method: string, path: string, query: URLSearchParams): object | null
}

const parseChat = requestParser(ChatRequest)
const parseCompletion = requestParser(CompletionRequest)
const parseEmbedding = requestParser(EmbeddingRequest)
const parseResponse = requestParser(ResponseRequest, refuseResponseMember)
const parseInputTokens = requestParser(InputTokensRequest, refuseResponseMember)

/** Creates the endpoints of a server, with the responses that it keeps. */
export function createEndpoints(): Endpoints {
  const seal = createSeal()
  const responses: ResponseState = { store: new ResponseStore(), seal }
  const models: Endpoints['models'] = new Map<string, (body: Buffer, headers: IncomingHttpHeaders) => ModelRequest>([
    [
      '/v1/chat/completions',
      (body) => {
        const request = parseChat(body)
        const answer: ModelRequest['answer'] = (_model, behaviour, createdS) => answerChat(request, behaviour, createdS)
        return { model: request.model, stream: request.stream === true, answer }
      }
    ],
    [
      '/v1/completions',
      (body) => {
        const request = parseCompletion(body)
        const answer: ModelRequest['answer'] = (_model, behaviour, createdS) =>
          answerCompletion(request, behaviour, createdS)
        return { model: request.model, stream: request.stream === true, answer }
      }
    ],
    [
      '/v1/embeddings',
      (body) => {
        const request = parseEmbedding(body)
        return { model: request.model, stream: false, answer: (model) => answerEmbedding(request, model) }
      }
    ],
    [
      '/v1/responses',
      (body) => {
        const request = parseResponse(body)
        const answer: ModelRequest['answer'] = (_model, behaviour, createdS) =>
          answerResponse(request, responses, behaviour, createdS)
        return { model: request.model, stream: request.stream === true, answer }
      }
    ]
  ])
  const counters: Endpoints['counters'] = new Map<string, (body: Buffer, headers: IncomingHttpHeaders) => CountRequest>(
    [
      [
        '/v1/responses/input_tokens',
        (body) => {
          const request = parseInputTokens(body)
          return { model: request.model, count: () => countResponseInput(request, responses) }
        }
      ]
    ]
  )
  return { models, counters, stored: (method, path, query) => askStored(method, path, query, responses.store) }
}
