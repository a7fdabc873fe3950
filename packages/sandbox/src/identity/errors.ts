import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode, WeakPassword } from './wire.ts'

const versionHeader = 'x-supabase-api-version'
const version = '2024-01-01'

/** A GoTrue error with a code. The client gets `message`. */
export class GoTrueError extends Error {
  readonly status: number
  readonly code: ErrorCode

  constructor(status: number, code: ErrorCode, message: string) {
    super(message)
    this.name = 'GoTrueError'
    this.status = status
    this.code = code
  }
}

/** The error for a weak password: status 422, with the reasons in the body. */
export class WeakPasswordError extends GoTrueError {
  readonly weakPassword: WeakPassword

  constructor(weakPassword: WeakPassword) {
    super(422, 'weak_password', weakPassword.message)
    this.weakPassword = weakPassword
  }
}

/** A GoTrue error in the format of OAuth 2.0 (RFC 6749 section 5.2): status 400, without a code. */
export class OAuthError extends Error {
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.name = 'OAuthError'
    this.error = error
  }
}

/** An error of the API gateway in front of GoTrue: status 401, without a code. */
export class ApiGatewayError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'ApiGatewayError'
    this.hint = hint
  }
}

export const validationFailed = (message: string) => new GoTrueError(400, 'validation_failed', message)

/** Sends an error in the format of GoTrue, or of the gateway in front of it, for the requested API version. */
export function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ApiGatewayError) return reply.code(401).send({ message: error.message, hint: error.hint })
  const isVersioned = asksForVersion(request)
  if (isVersioned) reply.header(versionHeader, version)
  if (error instanceof OAuthError) {
    return reply.code(400).send({ error: error.error, error_description: error.message })
  }
  const { status, code, message, weakPassword } = describe(error, request)
  reply.code(status).header('x-sb-error-code', code)
  const extra = weakPassword === undefined ? {} : { weak_password: { reasons: weakPassword.reasons } }
  return isVersioned
    ? reply.send({ code, message, ...extra })
    : reply.send({ code: status, error_code: code, msg: message, ...extra })
}

interface Description {
  status: number
  code: string
  message: string
  weakPassword?: { reasons: string[] }
}

function describe(error: FastifyError | Error, request: FastifyRequest): Description {
  if (error instanceof WeakPasswordError) {
    const { status, code, message, weakPassword } = error
    return { status, code, message, weakPassword }
  }
  if (error instanceof GoTrueError) return { status: error.status, code: error.code, message: error.message }
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500
  if (status === 413) {
    return { status, code: 'request_entity_too_large', message: 'Request body exceeded the maximum size' }
  }
  if (status >= 400 && status < 500) return { status, code: 'validation_failed', message: error.message }
  request.log.error(error)
  return { status: 500, code: 'unexpected_failure', message: 'Unexpected failure, please check server logs' }
}

function asksForVersion(request: FastifyRequest): boolean {
  const header = request.headers[versionHeader]
  return typeof header === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(header) && header >= version
}
