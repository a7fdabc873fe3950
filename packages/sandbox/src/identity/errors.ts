import type { ErrorCode, WeakPassword } from './wire.ts'

/** An answer of GoTrue with a code. `message` goes to the client. */
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

/** A password that is too weak: status 422, with the reasons in the body. */
export class WeakPasswordError extends GoTrueError {
  readonly weakPassword: WeakPassword

  constructor(weakPassword: WeakPassword) {
    super(422, 'weak_password', weakPassword.message)
    this.weakPassword = weakPassword
  }
}

/** What GoTrue answers in the style of OAuth 2.0, RFC 6749 section 5.2: status 400, without a code. */
export class OAuthError extends Error {
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.name = 'OAuthError'
    this.error = error
  }
}

/** A refusal of the gateway in front of GoTrue: status 401, without a code. */
export class GatewayRefusal extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'GatewayRefusal'
    this.hint = hint
  }
}

export const validationFailed = (message: string) => new GoTrueError(400, 'validation_failed', message)
