import type { Answer } from './answer.ts'
import { answerChat } from './answer-chat.ts'
import { answerCompletion } from './answer-completion.ts'
import { answerEmbedding } from './answer-embedding.ts'
import type { Behaviour } from './model-name.ts'
import { requestParser } from './parse-request.ts'
import { ChatRequest, CompletionRequest, EmbeddingRequest } from './requests.ts'

/** A parsed request. */
export interface ModelRequest {
  /** The model name of the request, including directives. */
  readonly model: string
  readonly stream: boolean
  /** @param model the name without directives. @throws ApiError (400) */
  answer(model: string, behaviour: Behaviour, createdS: number): Answer
}

/** Reads the body of a request. @throws ApiError (400) */
export type Endpoint = (body: Buffer) => ModelRequest

const parseChat = requestParser(ChatRequest)
const parseCompletion = requestParser(CompletionRequest)
const parseEmbedding = requestParser(EmbeddingRequest)

/** The endpoints that run a model, by path. All take POST. */
export const modelEndpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
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
  ]
])
