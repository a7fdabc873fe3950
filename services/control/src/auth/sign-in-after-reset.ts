import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { User } from '@tollgate/contracts/http/auth.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IdentityUser } from '../identity/identity.ts'
import type { AuthContext } from './auth-context.ts'
import { databaseTime, isPasswordUnchanged } from './end-sign-ins.ts'
import { signIn } from './sign-in.ts'

/**
 * Signs in a user who has just set a password with a mailed link, as that password would. A second factor needs its code, so its
 * user signs in on the usual page. So does a user whom a failure keeps out here: the password is set in any case.
 *
 * @returns null if no session was opened
 */
export async function signInAfterReset(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  user: IdentityUser,
  deadline: AbortSignal
): Promise<User | null> {
  const { identity, database, clock } = context
  try {
    const setBefore = await databaseTime(database.orm)
    // Asked after the old password has ended: nobody can turn a second factor on with it any more.
    if (user.isBanned || (await identity.hasSecondFactor(user.id, deadline))) return null
    const answer = await signIn(context, request, reply, {
      user,
      now: clock(),
      isByMail: true,
      decide: async (tx, isOurs) => {
        // Another link may have set another password, or the user may be deleted by now.
        if (!isOurs || !(await isPasswordUnchanged(tx, user.id, setBefore))) throw new ServiceError('link_invalid')
      }
    })
    return answer.user
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err
    request.log.info({ code: err.code, userId: user.id }, 'a user set a password, but was not signed in')
    return null
  }
}
