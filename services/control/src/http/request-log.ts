import type { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { readClientRequestId } from '@tollgate/service/http/request-head.ts'
import { addressForLog, type LogsRequest, roundMs } from '@tollgate/service/log/log-lines.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { providerStatusOf } from '../provider-health/provider-status.ts'

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
 * Logs each answered request. The members have the same names as in the gateway's log. The line has no body, header, path or
 * query: only the route's template.
 */
export function logRequests(app: FastifyInstance, options: RequestLogOptions): void {
  app.decorateRequest('failure', null)
  app.decorateRequest('signedIn', null)
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply, options)
    done()
  })
}

/** Logs one answered request. Call it only where hooks do not run: for requests that Fastify refuses before it routes them. */
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
 * Who asked, as far as it is known. `key` is the id of a management key. Requests that Fastify refuses before it routes them
 * lack these members.
 */
function callerOf({ principal, caller, signedIn }: Partial<FastifyRequest>) {
  if (principal?.keyId != null) return { user: null, account: principal.accountId, key: principal.keyId }
  if (caller != null) return { user: caller.user.id, account: caller.accountId, key: null }
  return { user: signedIn?.userId ?? null, account: signedIn?.accountId ?? null, key: null }
}
