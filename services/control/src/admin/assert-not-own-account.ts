import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../callers/session.ts'

/**
 * Keeps operators from giving themselves money or rights, and from ending their own work by accident.
 *
 * @throws ServiceError `forbidden` if the account is the caller's own, or that of the caller's team
 */
export function assertNotOwnAccount(request: FastifyRequest, accountId: string): void {
  const { user, accountId: actingFor } = callerOf(request)
  if (accountId !== user.id && accountId !== actingFor) return
  throw new ServiceError('forbidden', {
    message: 'This is your own account. Ask another operator, or use the account page of the dashboard.'
  })
}
