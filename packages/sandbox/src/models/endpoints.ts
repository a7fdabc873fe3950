import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './answer.ts'
import { answerChat } from './answer-chat.ts'
import { answerCompletion, answerEmbedding, answerModeration } from './answer-completion.ts'
import { countPrompt } from './count-prompt.ts'
import { answerMessage } from './messages/answer.ts'
import { countMessageInput, type MessageState, PromptCache } from './messages/prompt.ts'
import { readCountTokensRequest, readMessageRequest } from './messages/request.ts'
import type { Behaviour } from './model-name.ts'
import { createSeal } from './produce.ts'
import { noKinds } from './request-recorder.ts'
import { ChatRequest, CompletionRequest, EmbeddingRequest, ModerationRequest, requestParser } from './requests.ts'
import { answerResponse } from './responses/answer.ts'
import { countResponseInput, type ResponseState, readPrompt } from './responses/prompt.ts'
import { compactionKind } from './responses/read-items.ts'
import { CompactRequest, InputTokensRequest, ResponseRequest, refuseResponseMember } from './responses/request.ts'
import { reportResponseUsage } from './responses/response.ts'
import { askStored, ResponseStore } from './responses/store.ts'
import { openaiTier, promptKinds } from './token-usage.ts'
import { randomId } from './write-text.ts'

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

/** Reads the body of a request. @throws ApiError (400) */
export type ModelReader = (body: Buffer, headers: IncomingHttpHeaders) => ModelRequest

/** Reads the body of a request. @throws ApiError (400) */
export type CountReader = (body: Buffer, headers: IncomingHttpHeaders) => CountRequest

/** What the server offers besides the list of models. */
export interface Endpoints {
  /** The endpoints that run a model, by path. All take POST. */
  readonly models: ReadonlyMap<string, ModelReader>
  /** The endpoints that count a prompt, by path. All take POST. */
  readonly counters: ReadonlyMap<string, CountReader>
  /** Answers a request about a stored response; null for another path. @throws ApiError (400 or 404) */
  stored(method: string, path: string, query: URLSearchParams): object | null
}

const parseChat = requestParser(ChatRequest)
const parseCompletion = requestParser(CompletionRequest)
const parseEmbedding = requestParser(EmbeddingRequest)
const parseModeration = requestParser(ModerationRequest)
const parseResponse = requestParser(ResponseRequest, refuseResponseMember)
const parseCompact = requestParser(CompactRequest, refuseResponseMember)
const parseInputTokens = requestParser(InputTokensRequest, refuseResponseMember)

/** Creates the endpoints of a server, with the responses and the cache that it keeps. */
export function createEndpoints(): Endpoints {
  const seal = createSeal()
  const responses: ResponseState = { store: new ResponseStore(), seal }
  const messages: MessageState = { cache: new PromptCache(), seal }
  const models = new Map([
    ['/v1/chat/completions', running(parseChat, answerChat)],
    ['/v1/completions', running(parseCompletion, answerCompletion)],
    [
      '/v1/embeddings',
      running(parseEmbedding, (request, _behaviour, _createdS, model) => answerEmbedding(request, model))
    ],
    [
      '/v1/moderations',
      running(parseModeration, (request, _behaviour, _createdS, model) => answerModeration(request, model))
    ],
    [
      '/v1/responses',
      running(parseResponse, (request, how, createdS) => answerResponse(request, responses, how, createdS))
    ],
    [
      '/v1/responses/compact',
      running(parseCompact, (request, how, createdS) => answerCompaction(request, responses, how, createdS))
    ],
    [
      '/v1/messages',
      running(readMessageRequest, (request, how, createdS) => answerMessage(request, messages, how, createdS))
    ]
  ])
  const counters = new Map([
    ['/v1/responses/input_tokens', counting(parseInputTokens, (request) => countResponseInput(request, responses))],
    ['/v1/messages/count_tokens', counting(readCountTokensRequest, (request) => countMessageInput(request, messages))]
  ])
  return { models, counters, stored: (method, path, query) => askStored(method, path, query, responses.store) }
}

function running<Request extends { model: string }>(
  read: (body: Buffer, headers: IncomingHttpHeaders) => Request,
  answer: (request: Request, behaviour: Behaviour, createdS: number, model: string) => Answer
): ModelReader {
  return (body, headers) => {
    const request = read(body, headers)
    return {
      model: request.model,
      stream: 'stream' in request && request.stream === true,
      answer: (model, behaviour, createdS) => answer(request, behaviour, createdS, model)
    }
  }
}

function counting<Request extends { model: string }>(
  read: (body: Buffer, headers: IncomingHttpHeaders) => Request,
  count: (request: Request) => object
): CountReader {
  return (body, headers) => {
    const request = read(body, headers)
    return { model: request.model, count: () => count(request) }
  }
}

/** The tokens of a compacted conversation, unless a directive sets others. */
const usualTokens = 24

/**
 * Answers a request to `/v1/responses/compact`: the messages of the user, and all else in one sealed item.
 *
 * @throws ApiError (400 or 404)
 */
function answerCompaction(
  request: CompactRequest,
  state: ResponseState,
  behaviour: Behaviour,
  createdS: number
): Answer {
  const prompt = readPrompt(request, state)
  const { total, audio } = countPrompt(prompt.chat)
  const { cachedTokens, ...ofPrompt } = promptKinds(total, behaviour, audio)
  const tier = openaiTier(request.service_tier, behaviour)
  const completionTokens = usualTokens + (behaviour['reasoning-tokens'] ?? 0)
  const counts = {
    promptTokens: total,
    cachedTokens,
    reasoningTokens: behaviour['reasoning-tokens'] ?? 0,
    hiddenTokens: completionTokens,
    completionTokens,
    kinds: { ...noKinds, ...ofPrompt, serviceTier: tier }
  }
  const messages = prompt.items.all.filter((item) => item.type === 'message' && item.role === 'user')
  const encrypted_content = state.seal.seal(compactionKind, `${messages.length} messages of the user`)
  return {
    ...counts,
    whole: () => ({
      id: randomId('resp_'),
      object: 'response.compaction',
      created_at: createdS,
      output: [...messages, { id: randomId('cmp_'), type: 'compaction', encrypted_content }],
      service_tier: tier,
      usage: reportResponseUsage(counts, behaviour)
    }),
    events: null
  }
}
