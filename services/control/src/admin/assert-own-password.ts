import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withOwnPassword } from '../auth/own-password.ts'
import { callerOf } from '../callers/session.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { Identity } from '../identity/identity.ts'

/**
 * Checks the operator's own password.
 *
 * @throws ServiceError `wrong_password`, `too_many_requests`, `identity_unavailable`
 */
export type AssertOwnPassword = (request: FastifyRequest, reply: FastifyReply, password: string) => Promise<void>

/** Makes the check. Attempts are counted for each operator and each client address. */
export function createOwnPasswordCheck(
  app: FastifyInstance,
  identity: Pick<Identity, 'findUser' | 'checkPassword' | 'startDeadline'>,
  limits: Limits
): AssertOwnPassword {
  const count = createRateLimit(app, {
    what: 'operator-password',
    perMinute: limits.operatorPassword,
    subjectOf: (request) => callerOf(request).user.id
  })
  return async (request, reply, password) => {
    const retryAfter = await count(request, reply)
    if (retryAfter !== null) throw new ServiceError('too_many_requests', { retryAfter })
    const deadline = identity.startDeadline()
    await withOwnPassword(identity, callerOf(request).user.id, deadline, (email) =>
      identity.checkPassword(email, password, request.ip, deadline)
    )
  }
}
