import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TProperties } from 'typebox'
import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import { type ErrorBody, errorJson, invalidRequest, StripeApiError } from '../errors.ts'
import type { Api, Failure } from './api.ts'
import { expandAnswer } from './list-page.ts'
import { expand, fields, readParams } from './read-params.ts'

const maxKeyLength = 255

export interface Call<Fields extends TProperties> {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  /** The parameters besides `expand`. Any other is refused. */
  params: Fields
  /**
   * Runs the call. If it throws, its changes are rolled back.
   *
   * @param id `:id` of the path; empty without one
   * @returns the answer
   */
  run(context: PaymentsContext, params: Static<TObject<Fields>>, id: string): object
}

/** Registers an API call, with planned failures, idempotency and expansion. */
export function registerCall<Fields extends TProperties>(app: FastifyInstance, api: Api, call: Call<Fields>): void {
  const schema = fields({ ...call.params, expand })
  app.route({
    method: call.method,
    url: call.url,
    async handler(request, reply) {
      const details = requestOf(request)
      const failure = api.failures.take(details.method, details.path)
      const release = claimKey(api, details.idempotencyKey)
      try {
        if (failure !== null) await api.failures.wait(failure, api.stop)
        if (failure !== null && failure.when !== 'after' && fail(failure, request, reply)) return reply
        api.catchUp()
        const answer = runIdempotently(api, details, () => {
          const params = readParams(schema, details.form) as Static<TObject<Fields>> & { expand?: string[] }
          const { expand: paths = [], ...own } = params
          const result = call.run(api.context, own as Static<TObject<Fields>>, idOf(request))
          return expandAnswer(result, paths, api.context.objects)
        })
        api.deliver()
        if (failure?.when === 'after' && fail(failure, request, reply)) return reply
        return send(answer, details, reply)
      } finally {
        release()
      }
    }
  })
}

function requestOf(request: FastifyRequest): ApiRequest {
  const [path = '', query = ''] = request.url.split('?')
  const { 'idempotency-key': key } = request.headers
  const isPost = request.method === 'POST'
  return {
    method: request.method,
    path,
    form: isPost && typeof request.body === 'string' ? request.body : query,
    idempotencyKey: isPost && typeof key === 'string' && key !== '' ? key : null,
    requestId: request.id
  }
}

function idOf(request: FastifyRequest): string {
  const { id } = request.params as { id?: string }
  return id ?? ''
}

/** @throws StripeApiError 409 while another call with the same key is in progress */
function claimKey({ keysInUse }: Api, key: string | null): () => void {
  if (key === null) return () => {}
  if (keysInUse.has(key)) {
    throw new StripeApiError(409, {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`
    })
  }
  keysInUse.add(key)
  return () => keysInUse.delete(key)
}

/** Sends the failed answer. @returns whether it sent one; a failure that only delays does not */
function fail({ reset, status, body, content_type }: Failure, request: FastifyRequest, reply: FastifyReply): boolean {
  if (reset === true) {
    reply.hijack()
    request.raw.socket.destroy()
    return true
  }
  if (status === undefined && body === undefined) return false
  void reply
    .code(status ?? 500)
    .type(content_type ?? 'application/json')
    .send(body ?? errorJson(defaultError(status ?? 500)))
  return true
}

function defaultError(status: number): ErrorBody {
  if (status === 429) {
    return {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message:
        'Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.'
    }
  }
  return status >= 500
    ? { type: 'api_error', message: 'Sorry, there was an error on our end.' }
    : { type: 'invalid_request_error', message: 'This call failed as planned.' }
}

function send({ status, body, isReplayed }: ApiAnswer, call: ApiRequest, reply: FastifyReply): FastifyReply {
  if (call.idempotencyKey !== null) reply.header('idempotency-key', call.idempotencyKey)
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return reply.code(status).type('application/json').send(body)
}

interface ApiRequest {
  method: string
  path: string
  /** The form or query string. */
  form: string
  /** Only POST requests have one. */
  idempotencyKey: string | null
  requestId: string
}

interface ApiAnswer {
  status: number
  body: string
  isReplayed: boolean
}

/**
 * Runs a call, or repeats the stored answer of its idempotency key. One transaction stores change, events and answer.
 * The answer to an invalid request is not stored, so the corrected request can use the key.
 *
 * @throws StripeApiError
 */
function runIdempotently(api: Api, request: ApiRequest, run: () => object): ApiAnswer {
  const { answers, clock, database } = api.context
  const { idempotencyKey: key, requestId } = request
  if (key !== null && key.length > maxKeyLength) {
    throw invalidRequest(`Idempotency keys may be at most ${maxKeyLength} characters long.`)
  }
  const fingerprint = `${request.method} ${request.path} ${createHash('sha256').update(request.form).digest('hex')}`
  const earlier = key === null ? null : answers.get(key, clock.nowS())
  if (earlier !== null) {
    if (earlier.request !== fingerprint) throw keyUsedDifferently(String(key))
    return { status: earlier.status, body: earlier.body, isReplayed: true }
  }
  const keep = (status: number, body: string) => {
    if (key !== null) answers.put(key, { request: fingerprint, status, body }, clock.nowS())
    return { status, body, isReplayed: false }
  }
  try {
    return api.runForRequest({ id: requestId, idempotency_key: key }, () =>
      inTransaction(database, () => keep(200, JSON.stringify(run(), null, 2)))
    )
  } catch (error) {
    if (error instanceof StripeApiError && error.body.type === 'card_error') {
      return keep(error.status, errorJson(error.body))
    }
    throw error
  }
}

function keyUsedDifferently(key: string): StripeApiError {
  return new StripeApiError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
  })
}
