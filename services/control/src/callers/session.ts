import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { sessionNeededMessage } from '@tollgate/contracts/errors/table.ts'
import type { User } from '@tollgate/contracts/http/auth.ts'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import { scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { effectivePlan } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { rolesOf } from '../identity/identity.ts'
import { extendSpan, presentedSessions } from './session-cookie.ts'
import { assertConfirmed, type Confirmed, extendSession, findSession, type LiveSession } from './sessions.ts'

/** The signed-in user of a request. */
export interface Caller {
  readonly user: User
  /** The account that they act for: the team's for a seat, else their own. */
  readonly accountId: string
  /** Whether they own that account or have a seat in it. */
  readonly role: 'owner' | 'seat'
  /** Identifies the session in the database. */
  readonly sessionHash: string
  /** When they signed in. */
  readonly openedAt: Date
  /** Whether they signed in with a recovery code. */
  readonly isRecovered: boolean
  /** When they last confirmed that it is them. */
  readonly confirmed: Confirmed
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Hook for `onRequest` of routes that need a session: sets `request.caller`, and counts as a use of the session.
     * @throws ServiceError `not_authenticated`
     */
    requireSession(request: FastifyRequest): Promise<void>
    /**
     * Hook for `onRequest`, after `requireSession`.
     *
     * @throws ServiceError `confirmation_required` if the user has not signed in or given their password in the last 10
     *   minutes
     */
    requireConfirmation(request: FastifyRequest): Promise<void>
  }
  interface FastifyRequest {
    /** Set by `requireSession`; null in other routes. */
    caller: Caller | null
  }
}

/** Updates the stored user from the identity provider. */
export interface UserRefresher {
  /**
   * Reads a user from the identity provider if the stored copy is old. Only one caller of all replicas asks. Callers in
   * the same process wait for the answer. Other replicas use the stored copy; without the provider, all do.
   *
   * @param syncedAt when the stored copy was read
   * @returns whether the stored user may have changed. Never throws
   */
  refreshIfStale(userId: string, syncedAt: Date): Promise<boolean>
}

export interface SessionOptions {
  database: Database
  catalog: Catalog
  clock: Clock
  refresher: UserRefresher
}

const sessionPlugin: FastifyPluginAsync<SessionOptions> = async (app, options) => {
  const { database, catalog, clock, refresher } = options
  app.decorateRequest('caller', null)
  app.decorate('requireSession', async (request: FastifyRequest) => {
    const [token, second] = presentedSessions(request.headers.cookie)
    if (token === undefined) throw noSession(request.headers.authorization)
    if (second !== undefined) throw new ServiceError('not_authenticated')
    const now = clock()
    let session = await findSession(database.orm, token, now)
    if (session !== null && (await refresher.refreshIfStale(session.user.id, session.syncedAt))) {
      session = await findSession(database.orm, token, now)
    }
    if (session === null) throw new ServiceError('not_authenticated')
    const used = extendSpan(session.span, now)
    if (used !== null) await extendSession(database.orm, session.hash, used)
    const { account, openedAt, isRecovered, confirmed } = session
    request.caller = {
      user: shownUser(catalog, session),
      accountId: account.id,
      role: account.role,
      sessionHash: session.hash,
      openedAt,
      isRecovered,
      confirmed
    }
  })
}

/** The error for a request without a session cookie. It names the kind of key that the request has instead. */
function noSession(authorization: string | undefined): ServiceError {
  const secret = bearerToken(authorization)
  const scope = secret === null ? null : scopeOfSecret(secret)
  return new ServiceError('not_authenticated', scope === null ? {} : { message: sessionNeededMessage(scope) })
}

/** The user of a session, as `/api/auth` shows them. */
export function shownUser(catalog: Catalog, { user, account }: Pick<LiveSession, 'user' | 'account'>): User {
  const { isOperator, operatorRoles, hasPassword, ...profile } = user
  return {
    ...profile,
    plan: effectivePlan(catalog, account.plan),
    ...(isOperator && { role: 'operator' as const, operator_roles: rolesOf(operatorRoles) }),
    ...(!hasPassword && { has_password: false as const })
  }
}

export const session = fp(sessionPlugin, { name: 'session', fastify: '5.x' })

const confirmationPlugin: FastifyPluginAsync<{ clock: Clock }> = async (app, { clock }) => {
  app.decorate('requireConfirmation', async (request: FastifyRequest) => {
    assertConfirmed(callerOf(request).confirmed, clock())
  })
}

export const requireConfirmation = fp(confirmationPlugin, {
  name: 'require-confirmation',
  fastify: '5.x',
  dependencies: ['session']
})

/** The caller in a handler behind `requireSession`. @throws Error in other handlers */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.routeOptions.url} does not require a session`)
  return request.caller
}

/** The account that the caller owns. @throws ServiceError `forbidden` for a member of a team who is not its owner */
export function ownAccount(request: FastifyRequest): string {
  const { accountId, role } = callerOf(request)
  if (role !== 'owner') throw new ServiceError('forbidden')
  return accountId
}
