import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ApiGatewayError } from '../errors.ts'
import type { IdentitySettings } from '../settings.ts'

export type ApiRole = 'anon' | 'service_role'

type Keys = Pick<IdentitySettings, 'anonKey' | 'serviceRoleKey'>

/** The role of an API key; null for an invalid key. */
export function roleOfKey(key: string, { anonKey, serviceRoleKey }: Keys): ApiRole | null {
  // Always compares both keys, so that the time does not reveal which one matches.
  const isAnon = isSame(key, anonKey)
  const isService = isSame(key, serviceRoleKey)
  return isService ? 'service_role' : isAnon ? 'anon' : null
}

/**
 * Requires one of the project's API keys, in the header or query parameter `apikey`, as the gateway in front of GoTrue
 * does.
 *
 * @throws ApiGatewayError 401
 */
export function requireApiKey(request: FastifyRequest, keys: Keys): ApiRole {
  const { apikey: inHeader } = request.headers
  const { apikey: inQuery } = request.query as Record<string, unknown>
  const key = inHeader || inQuery
  if (typeof key !== 'string' || key === '') {
    throw new ApiGatewayError('No API key found in request', 'No `apikey` request header or url param was found.')
  }
  const role = roleOfKey(key, keys)
  if (role === null) {
    throw new ApiGatewayError('Invalid API key', 'Double check your Supabase `anon` or `service_role` API key.')
  }
  return role
}

/** The first value of `Sb-Forwarded-For`, if it is an IP address. With it, a server forwards its user's address. */
export function forwardedFor(request: FastifyRequest): string | null {
  const header = request.headers['sb-forwarded-for']
  const first = (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim() ?? ''
  return isIP(first) === 0 ? null : first
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
