import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyRequest } from 'fastify'
import { errorsOf, messagesErrors } from '../http/messages-errors.ts'

/**
 * The API key that a request presents: the bearer token; without one, `x-api-key` for Anthropic's API. So if a client sends both, as some do with one key,
 * the bearer token counts.
 *
 * @returns null if the request presents none
 */
export function presentedSecret(request: FastifyRequest): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const token = bearerToken(authorization)
  if (token !== null || typeof apiKey !== 'string' || errorsOf(request) !== messagesErrors) return token
  return isToken.test(apiKey) ? apiKey : null
}

const isToken = /^\S+$/
