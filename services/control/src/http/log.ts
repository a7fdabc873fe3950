import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { readClientRequestId } from '@tollgate/service/http/request-head.ts'
import { addressForLog, type LogsRequest, loadPrettyLines, roundMs } from '@tollgate/service/log/log-lines.ts'
import { DrizzleQueryError } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

const secretNames = [
  'password',
  'cookie',
  'set-cookie',
  'authorization',
  'apikey',
  'token_hash',
  'access_token',
  'value'
]
const depths = ['', '*.', '*.*.']

/**
 * Creates control's log. Three measures keep secrets out. Code names what it logs, never a whole request. Members named
 * like a secret are redacted. Database errors are logged without parameters.
 */
export function createLog(level: string, output?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    name: 'control',
    redact: depths.flatMap((depth) => secretNames.map((name) => `${depth}["${name}"]`.replace('.[', '['))),
    serializers: { err: describeError }
  }
  return output === undefined ? pino(options) : pino(options, output)
}

/** The standard output, with lines for people: `LOG_FORMAT=pretty`. */
export async function prettyOutput(): Promise<DestinationStream> {
  const prettyLine = await loadPrettyLines(process.stdout.isTTY === true)
  const output = pino.destination({ sync: true })
  return { write: (line) => void output.write(prettyLine(line)) }
}

interface LoggedError {
  type: string
  message: string
  code?: string
  /** With which a provider answered. */
  status?: number
  stack?: string
  cause?: LoggedError
}

/** Describes an error and its causes, without secrets. */
export function describeError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is not an Error was thrown' }
  const { code } = error as { code?: unknown }
  const status = ownStatus(error)
  return {
    type: error.name,
    // Drizzle's message lists the statement's parameters, and the stack begins with the message.
    message: error instanceof DrizzleQueryError ? `Failed query: ${error.query}` : error.message,
    ...(typeof code === 'string' && { code }),
    ...(status !== null && { status }),
    ...(error.stack !== undefined && { stack: frames(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) })
  }
}

const frames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n')

const providerCodes: ReadonlySet<string> = new Set(['payments_unavailable', 'identity_unavailable'])

/** The status with which a provider answered the call that made a request fail; null if it gave no answer. */
function providerStatusOf(failure: ServiceError): number | null {
  return providerCodes.has(failure.code) ? findStatus(failure.cause) : null
}

function findStatus(error: unknown): number | null {
  return error instanceof Error ? (ownStatus(error) ?? findStatus(error.cause)) : null
}

/** The status of a provider's answer in an error of Stripe's or Supabase's client; null in other errors. */
function ownStatus(error: Error): number | null {
  // Our own errors have the status of our answer.
  if (error instanceof ServiceError) return null
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown }
  return [status, statusCode].find((value): value is number => typeof value === 'number' && value > 0) ?? null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The failure that was sent; null for none. */
    failure: ServiceError | null
    /** Who signed in with this request; null for nobody. Only for the log. */
    signedIn: { readonly userId: string; readonly accountId: string } | null
  }
}

export interface RequestLogOptions {
  readonly logsRequest: LogsRequest
  /** Called for each answered request, also if it gets no line. */
  onAnswered(method: string, route: string | undefined, status: number, ms: number): void
}

/**
 * Logs each answered request. The members have the same names as in the gateway's log. The line has no body, header,
 * path or query: only the route's template.
 */
export function logRequests(app: FastifyInstance, options: RequestLogOptions): void {
  app.decorateRequest('failure', null)
  app.decorateRequest('signedIn', null)
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply, options)
    done()
  })
}

/**
 * Logs one answered request. Call it only where hooks do not run: for requests that Fastify refuses before it routes
 * them.
 */
export function logAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { logsRequest, onAnswered }: RequestLogOptions
): void {
  const { statusCode: status, elapsedTime } = reply
  onAnswered(request.method, request.routeOptions.url, status, elapsedTime)
  if (logsRequest(status, request.failure?.code ?? null)) writeLine(request, reply)
}

function writeLine(request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply): void {
  const { failure } = request
  const clientRequestId = readClientRequestId(request.headers['x-request-id'])
  const providerStatus = failure === null ? null : providerStatusOf(failure)
  const line = {
    ...(clientRequestId !== null && { clientRequestId }),
    clientAddress: addressForLog(request.ip),
    method: request.method,
    endpoint: request.routeOptions.url ?? null,
    ...callerOf(request),
    status,
    code: failure?.code ?? null,
    ...(providerStatus !== null && { providerStatus }),
    durationMs: roundMs(elapsedTime)
  }
  request.log[status >= 500 ? 'warn' : 'info'](line, 'request')
}

/**
 * Who asked, as far as it is known. `key` is the id of a management key. Requests that Fastify refuses before it routes
 * them lack these members.
 */
function callerOf({ principal, caller, signedIn }: Partial<FastifyRequest>) {
  if (principal?.keyId != null) return { user: null, account: principal.accountId, key: principal.keyId }
  if (caller != null) return { user: caller.user.id, account: caller.accountId, key: null }
  return { user: signedIn?.userId ?? null, account: signedIn?.accountId ?? null, key: null }
}
