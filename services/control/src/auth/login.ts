import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoginRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { effectivePlan, isUnknownPlan } from '../accounts/effective-plan.ts'
import { ensurePersonalAccount } from '../accounts/personal-account.ts'
import { syncUser } from '../accounts/sync-user.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import type { IdentityUser } from './identity/identity.ts'
import { startFloor } from './pace.ts'
import { presentedSessions, sessionCookie } from './session-cookie.ts'
import { clearEndedSessions, closeSessions, openSession } from './sessions.ts'

/**
 * `POST /login`: checks the password, brings user and account up to date, and opens a session. A session that the request
 * came with is closed: a new one never shares its id with an old one.
 */
export function login(app: TypedApp, context: AuthContext): void {
  const { database, catalog, projector, clock, cookie } = context
  app.post(
    '/login',
    { schema: { body: LoginRequest, response: answers({ 200: UserResponse }) } },
    async (request, reply) => {
      const { email, password } = request.body
      const user = await checkPassword(context, email, password, request.ip)
      const plan = effectivePlan(catalog, user.plan)
      if (isUnknownPlan(catalog, user.plan)) {
        request.log.error({ userId: user.id, plan: user.plan }, 'app_metadata.plan is not in the catalog: free applies')
      }
      const now = clock()
      const { token, isAccountChanged } = await database.orm.transaction(async (tx) => {
        await syncUser(tx, user, now)
        await closeSessions(tx, presentedSessions(request.headers.cookie))
        await clearEndedSessions(tx, now)
        const token = await openSession(tx, user.id, now)
        // Last, because a change keeps all other changes waiting until the commit.
        return { token, isAccountChanged: await ensurePersonalAccount(tx, user.id, plan, now) }
      })
      if (isAccountChanged) await projector.accountChanged(user.id)
      reply.setCookie(sessionCookie, token, cookie)
      return { user: { id: user.id, email: user.email, name: user.name, plan } }
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
