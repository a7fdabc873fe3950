import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import { answerBeforeBody, hasUnreadBody } from '@tollgate/service/http/request-body.ts'
import { failureOfClientError } from '@tollgate/service/http/request-head.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lastPlanOf } from '../authenticate/known-key.ts'
import { logRequest, senderOf } from '../telemetry/request-log.ts'
import { errorsOf } from './error-format.ts'
import { routeOf } from './route-of.ts'
import { unknownEndpoint } from './unknown-endpoint.ts'

/** How long a connection may stay idle after a refusal, if its client has not presented a valid key. */
const unknownClientIdleMs = 4000

/** Answers with the common error body, and logs the request. */
export function sendFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toServiceError(error, request)
  // Fastify refuses some requests before its hooks have set these members.
  const {
    id,
    startedAt = performance.now(),
    knownKey = null,
    modelLabel = '',
    askedModel = null,
    allowedModel: model = null
  } = request
  const { status, code } = failure
  if (status === 500) request.log.error({ reqId: id, err: failure }, 'request failed')
  const endpoint = routeOf(request)
  request.server.failures.add(code)
  request.server.answers.answered({ endpoint, model: modelLabel, plan: lastPlanOf(knownKey), status, code })
  request.trace?.refused(status, code, knownKey)
  const endedAt = performance.now()
  const sender = senderOf(request)
  logRequest(request.log, { id, key: knownKey, startedAt, endedAt, status, code, sender, endpoint })
  if (knownKey !== null && status < 500) {
    const [durationMs, address] = [Math.round(endedAt - startedAt), sender.address]
    const { refused: amounts } = failure
    const facts = { endpoint, model, askedModel, status, code, amounts, durationMs, address }
    const refused = { id, key: knownKey, ...facts }
    request.server.refusals.refused(refused)
  }
  reply.headers(retryHeaders(failure)).header('x-content-type-options', 'nosniff')
  reply.code(status).headers(failure.headers)
  const errors = errorsOf(request)
  for (const name of errors.requestIdHeaders) reply.header(name, id)
  const json = errors.body(failure, { docsUrl: request.server.docsUrl, requestId: id })
  reply.type('application/json; charset=utf-8')
  if (hasUnreadBody(request.raw)) {
    sendBeforeBody(json, request, reply)
    return
  }
  if (knownKey === null && status < 500) closeSoon(reply)
  reply.send(json)
}

/** Sends the error so that the client gets it while it is still sending its body. */
function sendBeforeBody(json: string, request: FastifyRequest, reply: FastifyReply): void {
  reply
    .headers({ 'content-length': Buffer.byteLength(json), connection: 'close' })
    .send(answerBeforeBody(request.raw, json))
}

/** Shortens the idle timeout of a client without a valid key. It suffices for another try. */
function closeSoon(reply: FastifyReply): void {
  const { raw, request } = reply
  if (!raw.shouldKeepAlive || reply.hasHeader('connection')) return
  reply.headers({ connection: 'keep-alive', 'keep-alive': `timeout=${Math.floor(unknownClientIdleMs / 1000)}` })
  raw.once('finish', () => {
    const { socket } = request.raw
    // Node.js has just set its own idle timeout. The next request clears it, and may have arrived already.
    if ((socket as { _httpMessage?: ServerResponse | null })._httpMessage == null)
      socket.setTimeout(unknownClientIdleMs)
  })
}

/** Answers bytes that are not HTTP, and request heads that arrive too slowly or are too large. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
  { docsUrl, failures, answers }: Pick<FastifyInstance, 'docsUrl' | 'failures' | 'answers'>
): void {
  const failure = failureOfClientError(error, socket)
  if (failure === null) {
    socket.destroy()
    return
  }
  const { status, code } = failure
  failures.add(code)
  answers.answered({ endpoint: null, model: '', plan: '', status, code })
  const body = JSON.stringify(failure.toBody(docsUrl))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `content-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-should-retry: false\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy()
  )
}

function toServiceError(error: Error, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_BAD_URL') return unknownEndpoint(request)
  if (statusCode !== undefined && statusCode < 500) return new ServiceError('invalid_request', { cause: error })
  return new ServiceError('internal_error', { cause: error })
}

/**
 * Headers that tell a client whether and when to retry.
 *
 * @param shouldRetry default: what the error's code says
 */
export function retryHeaders(
  { code, retryAfter, retryAfterMs }: Pick<ServiceError, 'code' | 'retryAfter' | 'retryAfterMs'>,
  shouldRetry: boolean = isRetryable(code, retryAfter)
): Record<string, string> {
  return {
    'x-should-retry': String(shouldRetry),
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(retryAfterMs !== null && { 'retry-after-ms': String(retryAfterMs) })
  }
}
