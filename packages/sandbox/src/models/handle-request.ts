import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, invalidRequest } from './api-error.ts'
import { chatDialect } from './dialect.ts'
import { type Endpoint, modelEndpoints } from './endpoints.ts'
import { Exchange } from './exchange.ts'
import { describeModel, listedModels, listModels } from './listed-models.ts'
import { type ParsedModelName, parseModelName } from './model-name.ts'
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
  const timesAsked = new Map<string, number>()

  async function runModel(exchange: Exchange, endpoint: Endpoint, incoming: IncomingMessage): Promise<void> {
    const { record } = exchange
    const body = await readBody(incoming, maxBodyBytes)
    if (body === null) return
    recorder.keepBody(record, body)
    const request = endpoint(body)
    record.model = request.model
    record.stream = request.stream
    const { model, behaviour: ofName } = findModel(request.model, settings.strict)
    const behaviour = markedBehaviour(body, ofName)
    const answer = request.answer(model, behaviour, Math.floor(Date.now() / 1000))
    record.promptTokens = answer.promptTokens
    record.cachedTokens = answer.cachedTokens
    record.reasoningTokens = answer.reasoningTokens
    recorder.bill(record, answer.kinds)
    const asked = timesAsked.get(request.model) ?? 0
    timesAsked.set(request.model, asked + 1)
    const misbehaves = asked % (behaviour.every ?? 1) === 0
    await settings.beforeAnswer()
    await respond(exchange, answer, misbehaves ? behaviour : {}, settings.paceMs)
  }

  async function route(exchange: Exchange, incoming: IncomingMessage): Promise<void> {
    const { method, endpoint: path } = exchange.record
    authorize(incoming.headers.authorization, settings.apiKey)
    const endpoint = modelEndpoints.get(path)
    const isModels = path === '/v1/models' || path.startsWith('/v1/models/')
    if (endpoint === undefined && !isModels) throw new ApiError(404, { message: `Invalid URL (${method} ${path})` })
    if (method !== (endpoint === undefined ? 'GET' : 'POST')) {
      throw new ApiError(405, { message: `Not allowed to ${method} on ${path}.`, code: 'method_not_supported' })
    }
    if (endpoint !== undefined) return runModel(exchange, endpoint, incoming)
    if (path === '/v1/models') return exchange.sendJson(200, listModels())
    const name = decodeName(path.slice('/v1/models/'.length))
    findModel(name, settings.strict)
    return exchange.sendJson(200, describeModel(name))
  }

  return async (incoming: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const record = recorder.begin(incoming.method ?? '', path, incoming.headers, Date.now())
    const exchange = new Exchange(incoming, response, record, recorder, chatDialect)
    try {
      await route(exchange, incoming)
    } catch (error) {
      // The answer has begun, so there is no error answer; the client sees that the body is incomplete.
      if (record.status !== null) return exchange.reset()
      const known = error instanceof ApiError ? error : new ApiError(500, { message: `The sandbox failed: ${error}` })
      // The rest of a refused body is not read.
      await exchange.sendJson(
        known.status,
        exchange.dialect.errorBody(known, record.id),
        incoming.complete ? {} : { connection: 'close' }
      )
    }
  }
}

function authorize(header: string | undefined, apiKey: string): void {
  if (header === undefined) {
    const message = "You didn't provide an API key. Provide it in an Authorization header using Bearer auth."
    throw new ApiError(401, { message })
  }
  if (header !== `Bearer ${apiKey}`) {
    throw new ApiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' })
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
