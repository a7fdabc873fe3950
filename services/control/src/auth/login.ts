import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { LoginRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyRequest } from 'fastify'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import type { AskCode, CheckedUser } from './identity/identity.ts'
import { findKnownBrowser, signInSubject } from './known-browser.ts'
import { startFloor } from './pace.ts'
import { databaseTime, isPasswordStill } from './password-set.ts'
import { isDeleted, maySignIn, noteConfirmed } from './proof.ts'
import { signIn } from './sign-in.ts'

/** `POST /login`: checks the password, and the code if the user has a second factor; brings user and account up to date, and opens a session. */
export function login(app: TypedApp, context: AuthContext): void {
  const { database, clock, limits, codes, publicUrl } = context
  const findKnown = findKnownBrowser(database, clock, publicUrl)
  app.post(
    '/login',
    {
      preHandler: limitAttempts(app, {
        what: 'login',
        perMinute: limits.login,
        subjectOf: signInSubject(database, clock, publicUrl)
      }),
      schema: { body: LoginRequest, response: answers({ 200: UserResponse }) }
    },
    async (request, reply) => {
      const { code } = request.body
      const checkedAt = await databaseTime(database.orm)
      const user = await checkPassword(
        context,
        request,
        codes.ask(request, code, () => findKnown(request))
      )
      if (!(await maySignIn(database.orm, user))) {
        await database.orm.transaction(async (tx) => {
          // Deleted while the provider looked at the password.
          if (await isDeleted(tx, user.id)) throw new ServiceError('invalid_credentials')
          // So that the mail of resend-confirmation is one that works for them.
          await noteConfirmed(tx, user, clock())
        })
        throw new ServiceError('email_not_confirmed')
      }
      return signIn(context, request, reply, {
        user,
        now: clock(),
        decide: async (tx, isOurs) => {
          // Deleted, or given another password, while the provider looked at this one.
          if (!isOurs || !(await isPasswordStill(tx, user.id, checkedAt))) throw new ServiceError('invalid_credentials')
        }
      })
    }
  )
}

async function checkPassword(
  { identity, floors }: AuthContext,
  { body, ip }: FastifyRequest,
  askCode: AskCode
): Promise<CheckedUser> {
  const { email, password } = body as LoginRequest
  const floor = startFloor(floors.refusedLoginMs)
  try {
    return await identity.signIn(email, password, ip, undefined, askCode)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_credentials') await floor()
    throw error
  }
}
