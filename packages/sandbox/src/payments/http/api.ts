import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyRequest } from 'fastify'
import type Stripe from 'stripe'
import { inTransaction } from '../../open-sqlite.ts'
import type { PaymentsContext } from '../context.ts'
import { StripeApiError } from '../errors.ts'

/** The parts that API calls, pages and controls share. */
export interface Api {
  readonly context: PaymentsContext
  readonly calls: CallRecord
  readonly failures: Failures
  /** Idempotency keys of calls in progress. */
  readonly keysInUse: Set<string>
  /** Runs everything that is due by now: renewals, retries, expiries. */
  catchUp(): void
  /** Sends the stored events to the webhook endpoints. */
  deliver(): void
  /** Runs a change. Its events name the request. */
  runForRequest<Result>(request: Stripe.Event.Request, change: () => Result): Result
  /** Aborted when the server stops. */
  readonly stop: AbortSignal
}

/** Runs a change in a transaction, then sends its events. */
export function changeInTransaction<Result>(api: Api, change: () => Result): Result {
  const result = inTransaction(api.context.database, change)
  api.deliver()
  return result
}

/** The longest delay of a timer. */
const maxDelayMs = 2 ** 31 - 1

const capacity = 10_000

/** A received API call. */
export interface RecordedCall {
  method: string
  path: string
  /** The form or query string. */
  params: string
  idempotency_key: string | null
  request_id: string
  /** null: not answered. */
  status: number | null
  is_replayed: boolean
  /** Unix milliseconds of the machine's clock. */
  at_ms: number
}

/** The latest calls, oldest first. */
export class CallRecord {
  #calls: RecordedCall[] = []

  add(call: RecordedCall): void {
    this.#calls.push(call)
    if (this.#calls.length > capacity) this.#calls.shift()
  }

  list(): readonly RecordedCall[] {
    return this.#calls
  }

  clear(): void {
    this.#calls = []
  }
}

/**
 * Checks the account's secret key, sent as `Bearer` or as the user name of `Basic`.
 *
 * @throws StripeApiError 401
 */
export function requireApiKey(request: FastifyRequest, apiKey: string): void {
  const { authorization } = request.headers
  const key = bearerToken(authorization) ?? basicUser(authorization ?? '')
  if (key === '') {
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
    )
  }
  if (!isSame(key, apiKey)) throw unauthorized(`Invalid API Key provided: ${redact(key)}`)
}

function basicUser(header: string): string {
  const [scheme = '', value = ''] = header.split(' ')
  if (scheme.toLowerCase() !== 'basic') return ''
  return Buffer.from(value, 'base64').toString().split(':')[0] ?? ''
}

/** Redacts a key as Stripe does: keeps its kind and its end. */
function redact(key: string): string {
  const kind = /^(sk|rk|pk)_(test|live)_/.exec(key)?.[0] ?? ''
  return `${kind}${'*'.repeat(8)}${key.slice(kind.length).length > 12 ? key.slice(-4) : ''}`
}

function unauthorized(message: string): StripeApiError {
  return new StripeApiError(401, { type: 'invalid_request_error', message })
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** A planned failure of the next matching calls. */
export interface Failure {
  /** The number of calls; 1 by default. */
  count?: number
  /** Only calls with this method. */
  method?: 'GET' | 'POST' | 'DELETE'
  /** Only calls of this path; `*` matches any text. */
  path?: string
  /** `before` (default): the call does not run. `after`: the call runs, and only its answer fails. */
  when?: 'before' | 'after'
  /** The status to answer with. */
  status?: number
  /** The body to answer with, not necessarily JSON. Default: Stripe's error for the status. */
  body?: string
  content_type?: string
  /** Closes the connection without an answer. */
  reset?: boolean
  /** A delay before the answer, in milliseconds. Alone, it only delays the call. */
  delay_ms?: number
  /** Waits until the failures are cleared. Then the call goes on as after a delay. */
  hang?: boolean
}

/** The planned failures, in the order of planning. */
export class Failures {
  #planned: (Failure & { left: number })[] = []
  #cleared = new AbortController()

  plan(failure: Failure): void {
    this.#planned.push({ ...failure, left: failure.count ?? 1 })
  }

  clear(): void {
    this.#planned = []
    this.#cleared.abort()
    this.#cleared = new AbortController()
  }

  /** The failures that have not happened yet. */
  planned(): Failure[] {
    return this.#planned.map(({ left, ...failure }) => ({ ...failure, count: left }))
  }

  /** Removes and returns the planned failure of a call; null if no failure is planned. */
  take(method: string, path: string): Failure | null {
    const failure = this.#planned.find((planned) => matches(planned, method, path))
    if (failure === undefined) return null
    failure.left--
    if (failure.left === 0) this.#planned = this.#planned.filter((planned) => planned !== failure)
    return failure
  }

  /** Waits as long as the failure says, or until `stop` is aborted. */
  async wait({ delay_ms = 0, hang = false }: Failure, stop: AbortSignal): Promise<void> {
    if (hang)
      await pause(maxDelayMs, undefined, { signal: AbortSignal.any([stop, this.#cleared.signal]), ref: false }).catch(
        () => {}
      )
    if (delay_ms > 0) await pause(delay_ms, undefined, { signal: stop, ref: false }).catch(() => {})
  }
}

function matches({ method, path }: Failure, ofMethod: string, ofPath: string): boolean {
  if (method !== undefined && method !== ofMethod) return false
  if (path === undefined) return true
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(ofPath)
}
