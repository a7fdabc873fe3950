import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyRequest } from 'fastify'

/**
 * The API key that a request presents: the bearer token; without one, `x-api-key`. So if a client sends both, as some do with one key,
 * the bearer token counts.
 *
 * @param readsApiKey whether `x-api-key` counts for a request
 * @returns null if the request presents none
 */
export function presentedSecret(
  request: FastifyRequest,
  readsApiKey: (request: FastifyRequest) => boolean
): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const token = bearerToken(authorization)
  if (token !== null || typeof apiKey !== 'string' || !readsApiKey(request)) return token
  return isToken.test(apiKey) ? apiKey : null
}

const isToken = /^\S+$/
