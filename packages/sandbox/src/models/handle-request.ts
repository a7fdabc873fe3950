import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { answerCount } from './answer.ts'
import { ApiError, errorForStatus, invalidRequest } from './api-error.ts'
import { authorizeBearer, chatDialect, type Dialect, failureMessage, openaiHeaders, openaiModels } from './dialect.ts'
import {
  type CountReader,
  type CountRequest,
  createEndpoints,
  type ModelReader,
  type ModelRequest
} from './endpoints.ts'
import { Exchange } from './exchange.ts'
import { listedModels } from './listed-models.ts'
import { messagesDialect } from './messages/dialect.ts'
import { type Behaviour, type ParsedModelName, parseDirectives, parseModelName } from './model-name.ts'
import { oddAnswer } from './odd-answer.ts'
import type { RequestRecorder } from './request-recorder.ts'
import { respond } from './respond.ts'

const maxBodyBytes = 32 * 1024 * 1024

export interface ModelsSettings {
  readonly apiKey: string
  readonly paceMs: number
  /** Whether only the listed models exist. */
  readonly strict: boolean
  /** Awaited before each answer. */
  readonly beforeAnswer: () => Promise<void>
}

/** The dialect of OpenAI's responses. Their streams have no `[DONE]`. */
const responsesDialect: Dialect = {
  authorize: authorizeBearer,
  models: openaiModels,
  namesEvents: true,
  streamEnd: '',
  headers: openaiHeaders,
  errorBody: (error) => error.body,
  errorForStatus,
  errorEvent: (sent) => ({
    type: 'error',
    code: 'server_error',
    message: failureMessage,
    param: null,
    sequence_number: sent
  })
}

const marker = /\[sandbox((?:\+[a-z0-9=-]+)+)\]/g

/**
 * Adds the directives of a request's marker to those of its model name. A marker is
 * `[sandbox+cached-tokens=5+tier=flex]` anywhere in the body: in the prompt, `user` or `metadata`. So one model can
 * serve requests with different behaviours. The last marker counts, and its directives replace equal ones of the name.
 *
 * @throws ApiError (400) for an invalid directive
 */
function markedBehaviour(body: Buffer, ofName: Behaviour): Behaviour {
  if (!body.includes('[sandbox+')) return ofName
  const [, text] = [...body.toString('utf8').matchAll(marker)].at(-1) ?? []
  if (text === undefined) return ofName
  const parsed = parseDirectives(text.split('+').slice(1), ofName)
  if (!parsed.valid) throw invalidRequest(`The marker [sandbox${text}] is not valid: ${parsed.problem}.`)
  return parsed.behaviour
}

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
    const call = await read(exchange, incoming, reader)
    if (call === null) return
    const { body, request, model } = call
    const behaviour = markedBehaviour(body, call.behaviour)
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
    const call = await read(exchange, incoming, reader)
    if (call === null) return
    await answerCount(exchange, call.request.count(), markedBehaviour(call.body, call.behaviour))
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
    return answerModels(exchange, query, settings.strict)
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
      const failure = error instanceof ApiError ? error : new ApiError(500, { message: `The sandbox failed: ${error}` })
      // The rest of a refused body is not read.
      await exchange.sendJson(
        failure.status,
        dialect.errorBody(failure, record.id),
        incoming.complete ? {} : { connection: 'close' }
      )
    }
  }
}

/** Answers a request for the list of models, or for one of them. */
async function answerModels(exchange: Exchange, query: URLSearchParams, strict: boolean): Promise<void> {
  const path = exchange.record.endpoint
  const { list, describe } = exchange.dialect.models
  if (path === '/v1/models') return exchange.sendJson(200, list(query))
  const name = decodeName(path.slice('/v1/models/'.length))
  findModel(name, strict)
  return exchange.sendJson(200, describe(name))
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

/** The dialect of a request. Two APIs have the path of the models, where only one has a version header. */
function dialectOf(path: string, headers: IncomingHttpHeaders): Dialect {
  if (/^\/v1\/responses(\/|$)/.test(path)) return responsesDialect
  const isModels = /^\/v1\/models(\/|$)/.test(path) && headers['anthropic-version'] !== undefined
  return isModels || /^\/v1\/messages(\/|$)/.test(path) ? messagesDialect : chatDialect
}

/**
 * Reads the bytes of a request's body.
 *
 * @returns null if the client disconnected before the end
 * @throws ApiError (413) for more than `limit` bytes; the rest is left unread
 */
function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    request.on('data', (part: Buffer) => {
      length += part.length
      if (length <= limit) {
        parts.push(part)
      } else {
        request.pause()
        reject(new ApiError(413, { message: `The request body is larger than ${limit} bytes.` }))
      }
    })
    request.once('end', () => resolve(Buffer.concat(parts, length)))
    request.once('close', () => resolve(null))
  })
}
