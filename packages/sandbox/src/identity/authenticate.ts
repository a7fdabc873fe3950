import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { IdentityContext, IdentitySettings } from './context.ts'
import { ApiGatewayError, GoTrueError } from './errors.ts'
import { readBody, Text } from './request-body.ts'
import { type VerifiedClaims, verifyAccessToken } from './session-tokens.ts'
import type { StoredSession, StoredUser } from './user-store.ts'
import { isBanned } from './users.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const adminRoles = ['service_role', 'supabase_admin']

export type ApiRole = 'anon' | 'service_role'

type Keys = Pick<IdentitySettings, 'anonKey' | 'serviceRoleKey'>

/** The role of an API key; null for an invalid key. */
function roleOfKey(key: string, { anonKey, serviceRoleKey }: Keys): ApiRole | null {
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

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

export interface SignedIn {
  user: StoredUser
  /** null for a token without a session. */
  session: StoredSession | null
}

/**
 * Returns the user and the session of the request's access token.
 *
 * @throws GoTrueError 401 `no_authorization`; 403 `bad_jwt`, `user_not_found`, `user_banned`, `session_not_found`
 */
export async function requireUser(context: IdentityContext, request: FastifyRequest): Promise<SignedIn> {
  const { userId, sessionId } = await readClaims(context, request)
  if (userId === null) throw new GoTrueError(403, 'bad_jwt', 'invalid claim: missing sub claim')
  return findSignedIn(context, userId, sessionId)
}

/** Reads the user and session again, after a request has awaited something. Errors are those of {@link requireUser}. */
export function findSignedIn(context: IdentityContext, userId: string, sessionId: string | null): SignedIn {
  const user = context.users.byId(userId)
  if (user === null) throw new GoTrueError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (isBanned(user.profile, context.now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
  const session = sessionId === null ? null : context.sessions.byId(sessionId)
  if (sessionId !== null && session?.userId !== userId) {
    throw new GoTrueError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  return { user, session }
}

/** @throws GoTrueError 401 `no_authorization`; 403 `bad_jwt`, `not_admin` */
export async function requireAdmin(context: IdentityContext, request: FastifyRequest): Promise<void> {
  const { role } = await readClaims(context, request)
  if (!adminRoles.includes(role)) throw new GoTrueError(403, 'not_admin', 'User not allowed')
}

/** Reads the claims of the bearer token, or of the request's `apikey`. An API key counts as a token with its role. */
async function readClaims(context: IdentityContext, request: FastifyRequest): Promise<VerifiedClaims> {
  const { authorization } = request.headers
  if (authorization === undefined && request.apiRole !== null) return roleClaims(request.apiRole)
  const bearer = bearerToken(authorization)
  if (bearer === null) {
    throw new GoTrueError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  }
  const role = roleOfKey(bearer, context.settings)
  if (role !== null) return roleClaims(role)
  return verifyAccessToken(context.signingKey, bearer, new Date(context.now()))
}

function roleClaims(role: string): VerifiedClaims {
  return { userId: null, sessionId: null, role }
}

const Security = Type.Object({
  gotrue_meta_security: Type.Optional(Type.Union([Type.Object({ captcha_token: Text }), Type.Null()]))
})

/** As in GoTrue (internal/api/api.go). */
const paths = new Set(['/auth/v1/signup', '/auth/v1/recover', '/auth/v1/resend', '/auth/v1/otp', '/auth/v1/token'])

const exemptGrants = new Set<unknown>(['pkce', 'refresh_token', 'id_token'])

/**
 * Refuses forms without a solved CAPTCHA, if the settings demand one. A right token begins with the secret, and counts
 * once. As in GoTrue (internal/api/middleware.go, `verifyCaptcha`), callers with the secret key need none.
 */
export function requireCaptcha(app: FastifyInstance, context: IdentityContext): void {
  const { captchaSecret } = context.settings
  if (captchaSecret === null) return
  const used = new Set<string>()
  app.addHook('preHandler', async (request) => {
    if (!paths.has(request.routeOptions.url ?? '')) return
    if (exemptGrants.has((request.query as Record<string, unknown>).grant_type)) return
    const isAdmin = await requireAdmin(context, request).then(
      () => true,
      () => false
    )
    if (isAdmin) return
    const token = readBody(Security, request.body).gotrue_meta_security?.captcha_token ?? ''
    // GoTrue cannot ask the CAPTCHA's provider.
    if (token === '') throw new GoTrueError(500, 'unexpected_failure', 'captcha verification process failed')
    if (!token.startsWith(captchaSecret) || used.has(token)) {
      const why = used.has(token) ? 'timeout-or-duplicate' : 'invalid-input-response'
      throw new GoTrueError(400, 'captcha_failed', `captcha protection: request disallowed (${why})`)
    }
    used.add(token)
  })
}
