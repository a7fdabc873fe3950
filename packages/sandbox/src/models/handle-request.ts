import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { answerCount } from './answer-count.ts'
import { ApiError, invalidRequest } from './api-error.ts'
import { dialectOf } from './dialect-of.ts'
import {
  type CountReader,
  type CountRequest,
  createEndpoints,
  type ModelReader,
  type ModelRequest
} from './endpoints.ts'
import { Exchange } from './exchange.ts'
import { listedModels } from './listed-models.ts'
import { type ParsedModelName, parseModelName } from './model-name.ts'
import { oddAnswer } from './odd-answer.ts'
import { readBody } from './read-body.ts'
import { markedBehaviour } from './request-marker.ts'
import type { RequestRecorder } from './request-recorder.ts'
import { respond } from './respond.ts'

export interface ModelsSettings {
  readonly apiKey: string
  readonly paceMs: number
  /** Whether only the listed models exist. */
  readonly strict: boolean
  /** Awaited before each answer. */
  readonly beforeAnswer: () => Promise<void>
}

const maxBodyBytes = 32 * 1024 * 1024

/** Creates the handler of all requests to `/v1`. */
export function requestHandler(settings: ModelsSettings, recorder: RequestRecorder) {
  const endpoints = createEndpoints()
  const timesAsked = new Map<string, number>()

  /** Reads a request and finds its model. Returns null if the client disconnected before the end of its request. */
  async function read<Read extends ModelRequest | CountRequest>(
    { record }: Exchange,
    incoming: IncomingMessage,
    reader: (body: Buffer, headers: IncomingHttpHeaders) => Read
  ) {
    const body = await readBody(incoming, maxBodyBytes)
    if (body === null) return null
    recorder.keepBody(record, body)
    const request = reader(body, incoming.headers)
    record.model = request.model
    record.stream = 'stream' in request && request.stream
    return { body, request, ...findModel(request.model, settings.strict) }
  }

  async function runModel(exchange: Exchange, incoming: IncomingMessage, reader: ModelReader) {
    const { record } = exchange
    const asked = await read(exchange, incoming, reader)
    if (asked === null) return
    const { body, request, model } = asked
    const behaviour = markedBehaviour(body, asked.behaviour)
    const answer = oddAnswer(request.answer(model, behaviour, Math.floor(Date.now() / 1000)), behaviour)
    record.promptTokens = answer.promptTokens
    record.cachedTokens = answer.cachedTokens
    record.reasoningTokens = answer.reasoningTokens
    recorder.bill(record, answer.kinds)
    const times = timesAsked.get(request.model) ?? 0
    timesAsked.set(request.model, times + 1)
    const misbehaves = times % (behaviour.every ?? 1) === 0
    await settings.beforeAnswer()
    await respond(exchange, answer, misbehaves ? behaviour : {}, settings.paceMs)
  }

  async function countPrompt(exchange: Exchange, incoming: IncomingMessage, reader: CountReader) {
    const asked = await read(exchange, incoming, reader)
    if (asked === null) return
    await answerCount(exchange, asked.request.count(), markedBehaviour(asked.body, asked.behaviour))
  }

  async function route(exchange: Exchange, incoming: IncomingMessage, query: URLSearchParams): Promise<void> {
    const { method, endpoint: path } = exchange.record
    exchange.dialect.authorize(incoming.headers, settings.apiKey)
    const model = endpoints.models.get(path)
    const counter = endpoints.counters.get(path)
    const isModels = path === '/v1/models' || path.startsWith('/v1/models/')
    const isPost = model !== undefined || counter !== undefined
    if ((isPost || isModels) && method !== (isPost ? 'POST' : 'GET')) {
      throw new ApiError(405, { message: `Not allowed to ${method} on ${path}.`, code: 'method_not_supported' })
    }
    if (model !== undefined) return runModel(exchange, incoming, model)
    if (counter !== undefined) return countPrompt(exchange, incoming, counter)
    const stored = endpoints.stored(method, path, query)
    if (stored !== null) return exchange.sendJson(200, stored)
    if (!isModels) throw new ApiError(404, { message: `Invalid URL (${method} ${path})` })
    const { list, describe } = exchange.dialect.models
    if (path === '/v1/models') return exchange.sendJson(200, list(query))
    const name = decodeName(path.slice('/v1/models/'.length))
    findModel(name, settings.strict)
    return exchange.sendJson(200, describe(name))
  }

  return async (incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const record = recorder.begin(incoming.method ?? '', url.pathname, incoming.headers, Date.now())
    const dialect = dialectOf(url.pathname, incoming.headers)
    const exchange = new Exchange(incoming, response, record, recorder, dialect)
    try {
      await route(exchange, incoming, url.searchParams)
    } catch (error) {
      // The answer has begun, so there is no error answer; the client sees that the body is incomplete.
      if (record.status !== null) return exchange.reset()
      const known = error instanceof ApiError ? error : new ApiError(500, { message: `The sandbox failed: ${error}` })
      // The rest of a refused body is not read.
      await exchange.sendJson(
        known.status,
        dialect.errorBody(known, record.id),
        incoming.complete ? {} : { connection: 'close' }
      )
    }
  }
}

function findModel(name: string, strict: boolean): Extract<ParsedModelName, { valid: true }> {
  const parsed = parseModelName(name)
  if (!parsed.valid) throw invalidRequest(`The model name is not valid: ${parsed.problem}.`, 'model', 'invalid_value')
  if (strict && !listedModels.includes(parsed.model)) {
    const message = `The model '${name}' does not exist or you do not have access to it.`
    throw new ApiError(404, { message, param: 'model', code: 'model_not_found' })
  }
  return parsed
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidRequest('The model name is not valid in a URL.', 'model')
  }
}
