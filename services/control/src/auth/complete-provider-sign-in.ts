import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { UserResponse } from '@tollgate/contracts/http/auth.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { IdentityUser } from '../identity/identity.ts'
import type { RevokedKey } from '../keys/revoke-keys.ts'
import type { AuthContext } from './auth-context.ts'
import { isPasswordUnchanged } from './end-sign-ins.ts'
import { awaitRevocations } from './revoke-old-access.ts'
import { signIn } from './sign-in.ts'
import type { TakeOver } from './take-over-user.ts'

/** Signs in a user whom a sign-in provider authenticated, and whose second factor, if any, was checked. */
export async function completeProviderSignIn(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, takeOver, checkedAt }: { user: IdentityUser; takeOver: TakeOver; checkedAt: string }
): Promise<Static<typeof UserResponse>> {
  const by = { actorId: user.id, ip: request.ip, at: context.clock() }
  let revoked: readonly RevokedKey[] = []
  const answer = await signIn(context, request, reply, {
    user,
    now: by.at,
    decide: async (tx, isOurs) => {
      // The user was deleted, or changed password or second factor, while the provider was asked.
      if (!isOurs || !(await isPasswordUnchanged(tx, user.id, checkedAt))) throw new ServiceError('not_authenticated')
      revoked = await takeOver(tx, by)
    }
  })
  await awaitRevocations(context.projector, revoked)
  return answer
}
