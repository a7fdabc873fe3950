import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyRequest } from 'fastify'
import { StripeApiError } from '../errors.ts'

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
