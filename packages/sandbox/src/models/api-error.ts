import type { ErrorObject } from 'openai/resources/shared'
import type { Validator } from 'typebox/compile'

/** An error answer, with the body of OpenAI's API: `{ "error": { message, type, param, code } }`. */
export class ApiError extends Error {
  readonly status: number
  readonly body: { readonly error: ErrorObject }

  constructor(status: number, error: Partial<ErrorObject> & { message: string }) {
    super(error.message)
    this.name = 'ApiError'
    this.status = status
    this.body = {
      error: {
        message: error.message,
        type: error.type ?? typeOf(status),
        param: error.param ?? null,
        code: error.code ?? null
      }
    }
  }
}

/** The error that OpenAI sends with this status, for the directive `status`. */
export function errorForStatus(status: number): ApiError {
  return new ApiError(status, typical[status] ?? { message: `The model name requested status ${status}.` })
}

/** @param param the path of the member, such as `messages.0.role` */
export function invalidRequest(message: string, param: string | null = null, code: string | null = null): ApiError {
  return new ApiError(400, { message, param, code })
}

const typical: Record<number, { message: string; type?: string; code?: string }> = {
  401: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  403: {
    message: 'Your organization must be verified to use this model.',
    code: 'unsupported_country_region_territory'
  },
  404: { message: 'The model does not exist or you do not have access to it.', code: 'model_not_found' },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request. Sorry about that!' },
  503: { message: 'That model is currently overloaded with other requests.', type: 'service_unavailable_error' }
}

function typeOf(status: number): string {
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** Why a value does not satisfy its schema. */
export interface Problem {
  readonly kind: 'missing' | 'unknown' | 'invalid'
  /** The members from the request's root to the wrong one. */
  readonly path: readonly string[]
  /** What the value must be. */
  readonly detail: string
}

/**
 * Finds the first problem of a value.
 *
 * @param at where the value is in the request
 * @returns null without a problem
 */
export function findProblem(
  validator: Pick<Validator, 'Check' | 'Errors'>,
  value: unknown,
  at: readonly string[] = []
): Problem | null {
  if (validator.Check(value)) return null
  // A union reports the errors of every alternative. The deepest path belongs to the best match.
  const [error] = [...validator.Errors(value)].sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
  const path = [...at, ...(error?.instancePath ?? '').split('/').slice(1)]
  const detail = error?.message ?? 'is not valid'
  if (error?.keyword === 'required') {
    return { kind: 'missing', path: [...path, error.params.requiredProperties[0] ?? ''], detail }
  }
  // A closed schema compares its further members with `false`.
  return { kind: error?.keyword === 'boolean' ? 'unknown' : 'invalid', path, detail }
}

function depth(path: string): number {
  return path.split('/').length
}
