import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { AuthContext } from './auth-context.ts'

/**
 * Runs a check of a signed-in user's password, and of their code.
 *
 * @param check gets the current address: an operator may have changed it
 * @throws ServiceError `wrong_password` if `check` throws `invalid_credentials`; `not_authenticated` if the user no longer
 * exists; `too_many_requests` after too many wrong passwords and codes of this day
 */
export async function withOwnPassword<Result>(
  { identity, guesses }: Pick<AuthContext, 'identity' | 'guesses'>,
  request: FastifyRequest,
  deadline: AbortSignal,
  check: (email: string) => Promise<Result>
): Promise<Result> {
  const { id } = callerOf(request).user
  return guesses.limit(ownGuesses(id), { id }, async () => {
    const user = await identity.findUser(id, deadline)
    if (user === null) throw new ServiceError('not_authenticated')
    try {
      return await check(user.email)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
      throw new ServiceError('wrong_password', { cause: error })
    }
  })
}

/** The subject that wrong passwords of signed-in sessions count for. Sign-ins count for another one. */
export const ownGuesses = (userId: string): string => `sessions of ${userId}`
