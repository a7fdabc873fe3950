import type { ErrorCode, WeakPassword } from './wire.ts'

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
