import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Client, errors } from 'undici'
import type { RecordedEvent } from '../database/schema/notices.ts'
import { type AllowedNetworks, addressIn, type FindAddresses, judgeAddress, toLookup } from './addresses.ts'

/** The body of an event's webhook message. */
export const messageOf = ({ type, at, data }: RecordedEvent) => ({ type, timestamp: at.toISOString(), data })

/** The specification asks for 24 to 64 bytes. */
const secretBytes = 32

/** @returns `whsec_…` */
export const newWebhookSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/**
 * The headers that sign a message by the Standard Webhooks specification.
 *
 * @param secrets `whsec_…`; after a rotation two, and a signature with each
 * @param at when the message is sent, at this try: receivers refuse old ones
 */
export function signMessage(
  secrets: readonly string[],
  message: { readonly id: string; readonly at: Date; readonly body: string }
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, at, body } = message
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' ')
  }
}

/** What became of a call. The names are values of a metric's label: they never change. */
export const callOutcomes = [
  'delivered',
  'error_status',
  'redirected',
  'gone',
  'timeout',
  'unreachable',
  'bad_answer',
  'refused_address',
  'unreadable_secret'
] as const
export type CallOutcome = (typeof callOutcomes)[number]

export interface CallResult {
  readonly outcome: CallOutcome
  /** The status of the answer; null without one. */
  readonly status: number | null
  /** Why it failed, in words for the owner of the endpoint, without text of the receiver; null for a success. */
  readonly error: string | null
}

/** Milliseconds. The receiver has to answer within `total`, from the question to the name server on. */
export interface CallTimeouts {
  readonly connect: number
  readonly total: number
  /** How long the rest of an answer is read after its status has decided. */
  readonly rest: number
}

export const defaultCallTimeouts: CallTimeouts = { connect: 5000, total: 15_000, rest: 1000 }
const maxHeaderBytes = 16_384
/** Interim answers (1xx) before the answer. A receiver that floods control with them must not keep it busy. */
const maxInterimAnswers = 16
/** Read and dropped, so that most receivers see their answer arrive. */
const maxRestBytes = 16_384

export interface SenderOptions {
  readonly allowedNetworks: AllowedNetworks
  readonly findAddresses: FindAddresses
  readonly timeouts?: CallTimeouts
  /** Certificates that are trusted besides those of Node.js, for tests. */
  readonly ca?: string
}

export type SendMessage = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  stopping: AbortSignal
) => Promise<CallResult>

/**
 * Creates the HTTP client of webhooks. Each message has its own connection, to an address that was found and judged for
 * this message: a name that leads elsewhere since the last one is noticed. Nothing of the answer but its status is
 * used, and redirects are not followed.
 *
 * The returned function throws the signal's reason if control stops meanwhile, and nothing else.
 */
export function createSendMessage(options: SenderOptions): SendMessage {
  const { allowedNetworks, findAddresses, timeouts = defaultCallTimeouts, ca } = options

  /** @returns the addresses that the message may be sent to */
  async function targetsOf(url: URL): Promise<string[]> {
    const literal = addressIn(url)
    const addresses = literal === null ? await findAddresses(url.hostname) : [literal]
    if (addresses.length === 0) throw new CallFailure('unreachable', 'The name of the host has no address.')
    const permitted = addresses.filter((address) => {
      const verdict = judgeAddress(address, allowedNetworks)
      return verdict === 'allowed' || (verdict === 'public' && url.protocol === 'https:')
    })
    if (permitted.length > 0) return permitted
    throw new CallFailure('refused_address', 'The host is in a private or reserved network, or needs https.')
  }

  async function call(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
    const addresses = toLookup(await unlessAborted(targetsOf(url), signal))
    const client = new Client(url.origin, {
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: timeouts.total,
      bodyTimeout: timeouts.total,
      connect: {
        timeout: timeouts.connect,
        lookup: (_host, { all }, callback) =>
          all === true ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family),
        ...(ca !== undefined && { ca })
      }
    })
    try {
      const path = url.pathname + url.search
      let interimAnswers = 0
      const onInfo = () => {
        if (++interimAnswers > maxInterimAnswers) void client.destroy(new errors.HTTPParserError('too many 1xx'))
      }
      const answer = await client.request({ method: 'POST', path, headers, body, signal, reset: true, onInfo })
      // The status has decided: whatever happens to the rest does not matter.
      const restEnds = AbortSignal.any([signal, AbortSignal.timeout(timeouts.rest)])
      await answer.body.dump({ limit: maxRestBytes, signal: restEnds }).catch(() => undefined)
      return resultOf(answer.statusCode)
    } finally {
      // Not awaited: the receiver may hold up the end of its connection.
      void client.destroy().catch(() => undefined)
    }
  }

  return async (url, headers, body, stopping) => {
    const late = AbortSignal.timeout(timeouts.total)
    const signal = AbortSignal.any([stopping, late])
    try {
      return await call(url, headers, body, signal)
    } catch (error) {
      if (stopping.aborted) throw stopping.reason
      if (late.aborted) return failed('timeout', `The receiver did not answer within ${timeouts.total / 1000} seconds.`)
      return describeFailure(error, timeouts)
    }
  }
}

class CallFailure extends Error {
  readonly outcome: CallOutcome
  constructor(outcome: CallOutcome, message: string) {
    super(message)
    this.outcome = outcome
  }
}

const failed = (outcome: CallOutcome, error: string, status: number | null = null): CallResult => ({
  outcome,
  status,
  error
})

/** Judges an answer by its status, as the Standard Webhooks specification says. */
export function resultOf(status: number): CallResult {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null }
  if (status === 410) return failed('gone', 'The receiver answered 410: it wants no more messages.', status)
  if (status >= 300 && status < 400) {
    return failed('redirected', `The receiver answered ${status}. Redirects are not followed.`, status)
  }
  return failed('error_status', `The receiver answered ${status} instead of 2xx.`, status)
}

const badAnswers = [errors.HeadersOverflowError, errors.HTTPParserError, errors.ResponseContentLengthMismatchError]

function describeFailure(error: unknown, timeouts: CallTimeouts): CallResult {
  if (error instanceof CallFailure) return failed(error.outcome, error.message)
  if (error instanceof errors.ConnectTimeoutError) {
    return failed('timeout', `The receiver did not accept a connection within ${timeouts.connect / 1000} seconds.`)
  }
  if (badAnswers.some((kind) => error instanceof kind)) {
    return failed('bad_answer', 'The answer is not valid HTTP, or its head is too long.')
  }
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return failed('unreachable', 'The receiver refused the connection.')
  if (/^(EPROTO$|CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) {
    return failed('unreachable', `TLS failed: the receiver's certificate or protocol is not valid (${code}).`)
  }
  if (/^(EQUERY|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|EBADRESP|ENOTFOUND|ENODATA)$/.test(code)) {
    return failed('unreachable', 'The name of the host was not found.')
  }
  return failed('unreachable', 'The connection to the receiver failed or broke.')
}

/** The code of an error; of the first one, if several addresses were tried. */
function codeOf(error: unknown): string {
  const { code, errors: some } = error as { code?: unknown; errors?: unknown[] }
  return typeof code === 'string' ? code : some === undefined ? '' : codeOf(some[0])
}

function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
