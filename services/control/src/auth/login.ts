import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoginRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { effectivePlan, isUnknownPlan } from '../accounts/effective-plan.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import type { IdentityUser } from './identity/identity.ts'
import { startFloor } from './pace.ts'
import { databaseTime, isPasswordStill } from './password-set.ts'
import { adoptUser } from './reconcile/adopt-user.ts'
import { addressOf } from './request-address.ts'
import { presentedSessions, sessionCookie } from './session-cookie.ts'
import { clearEndedSessions, closeSessions, findSession, openSession } from './sessions.ts'

/**
 * `POST /login`: checks the password, brings user and account up to date, and opens a session. A session that the request
 * came with is closed: a new one never shares its id with an old one.
 */
export function login(app: TypedApp, context: AuthContext): void {
  const { database, catalog, projector, clock, cookie, limits } = context
  app.post(
    '/login',
    {
      preHandler: limitAttempts(app, { what: 'login', perMinute: limits.login, subjectOf: addressOf }),
      schema: { body: LoginRequest, response: answers({ 200: UserResponse }) }
    },
    async (request, reply) => {
      const { email, password } = request.body
      const { ip } = request
      const checkedAt = await databaseTime(database.orm)
      const user = await checkPassword(context, email, password, ip)
      if (isUnknownPlan(catalog, user.plan)) {
        request.log.error({ userId: user.id, plan: user.plan }, 'app_metadata.plan is not in the catalog: free applies')
      }
      const now = clock()
      const { token, session, isAccountChanged } = await database.orm.transaction(async (tx) => {
        const { isOurs, isAccountChanged } = await adoptUser(tx, catalog, user.id, user, now)
        // Deleted, or given another password, while the provider looked at this one.
        if (!isOurs || !(await isPasswordStill(tx, user.id, checkedAt))) throw new ServiceError('invalid_credentials')
        await closeSessions(tx, presentedSessions(request.headers.cookie))
        await clearEndedSessions(tx, now)
        const token = await openSession(tx, user.id, now)
        await recordAudit(tx, { accountId: user.id, actorId: user.id, action: 'auth.login', ip, at: now })
        return { token, session: await findSession(tx, token, now), isAccountChanged }
      })
      if (session === null) throw new Error('a session that was opened is not there')
      if (isAccountChanged) await projector.accountChanged(user.id)
      reply.setCookie(sessionCookie, token, cookie)
      return { user: { ...session.user, plan: effectivePlan(catalog, session.account.plan) } }
    }
  )
}

async function checkPassword(
  { identity, floors }: AuthContext,
  email: string,
  password: string,
  from: string
): Promise<IdentityUser> {
  const floor = startFloor(floors.refusedLoginMs)
  try {
    return await identity.signIn(email, password, from)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_credentials') await floor()
    throw error
  }
}
