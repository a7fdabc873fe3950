import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import type { FastifyRequest } from 'fastify'
import { isBanned } from '../accounts/ban.ts'
import type { IdentityContext } from '../context.ts'
import { GoTrueError } from '../errors.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { StoredUser } from '../store/users.ts'
import { type VerifiedClaims, verifyAccessToken } from '../tokens/access-token.ts'
import { roleOfKey } from './api-key.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const adminRoles = ['service_role', 'supabase_admin']

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
