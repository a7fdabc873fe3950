import { createHash } from 'node:crypto'
import { inTransaction } from '../../open-sqlite.ts'
import { invalidRequest, StripeApiError } from '../errors.ts'
import type { Api } from './api.ts'
import { errorJson } from './send-error.ts'

export interface ApiRequest {
  method: string
  path: string
  /** The form or query string. */
  form: string
  /** Only POST requests have one. */
  idempotencyKey: string | null
  requestId: string
}

export interface ApiAnswer {
  status: number
  body: string
  isReplayed: boolean
}

const maxKeyLength = 255

/**
 * Runs a call, or repeats the stored answer of its idempotency key. One transaction stores change, events and answer. The
 * answer to an invalid request is not stored, so the corrected request can use the key.
 *
 * @throws StripeApiError
 */
export function runIdempotently(api: Api, request: ApiRequest, run: () => object): ApiAnswer {
  const { answers, clock, database } = api.context
  const { idempotencyKey: key, requestId } = request
  if (key !== null && key.length > maxKeyLength) {
    throw invalidRequest(`Idempotency keys may be at most ${maxKeyLength} characters long.`)
  }
  const asked = `${request.method} ${request.path} ${createHash('sha256').update(request.form).digest('hex')}`
  const earlier = key === null ? null : answers.get(key, clock.nowS())
  if (earlier !== null) {
    if (earlier.request !== asked) throw keyUsedDifferently(String(key))
    return { status: earlier.status, body: earlier.body, isReplayed: true }
  }
  const keep = (status: number, body: string) => {
    if (key !== null) answers.put(key, { request: asked, status, body }, clock.nowS())
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
