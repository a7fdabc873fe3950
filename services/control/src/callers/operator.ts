import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { OperatorRole } from '@tollgate/contracts/http/auth.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Clock } from '../clocks/clock.ts'
import { callerOf } from './session.ts'
import { assertOperatorConfirmed } from './sessions.ts'

/** How long after signing in an operator may act. */
const operatorSessionMs = 12 * 3_600_000

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Hook for `onRequest` of routes that only show something to operators. For everybody else the routes do not exist.
     *
     * @throws ServiceError `not_found`; `sign_in_again` for an operator who signed in more than 12 hours ago
     */
    requireOperator(request: FastifyRequest): Promise<void>
    /**
     * Hook for routes of operators with the role `support`. @throws ServiceError `forbidden`, and as `requireOperator`
     */
    requireSupport(request: FastifyRequest): Promise<void>
    /**
     * Hook for routes of operators with the role `money`. @throws ServiceError `forbidden`, and as `requireOperator`
     */
    requireMoney(request: FastifyRequest): Promise<void>
    /** Hook after one of these. @throws ServiceError as `assertOperatorConfirmed` */
    requireOperatorConfirmation(request: FastifyRequest): Promise<void>
  }
}

interface OperatorOptions {
  clock: Clock
  /** Whether operators must have a second factor for acts that need a confirmation. */
  needSecondFactor: boolean
}

const requireOperatorPlugin: FastifyPluginAsync<OperatorOptions> = async (app, { clock, needSecondFactor }) => {
  const requireOperator = async (request: FastifyRequest) => {
    try {
      await app.requireSession(request)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_authenticated') throw error
      throw new ServiceError('not_found')
    }
    const { user, openedAt } = callerOf(request)
    if (user.role !== 'operator') throw new ServiceError('not_found')
    if (clock().getTime() - openedAt.getTime() >= operatorSessionMs) throw new ServiceError('sign_in_again')
  }
  const requireRole = (role: OperatorRole) => async (request: FastifyRequest) => {
    await requireOperator(request)
    if (callerOf(request).user.operator_roles?.includes(role)) return
    throw new ServiceError('forbidden', {
      message: `This needs the operator role ${role}. Ask an operator who has it.`
    })
  }
  app.decorate('requireOperator', requireOperator)
  app.decorate('requireSupport', requireRole('support'))
  app.decorate('requireMoney', requireRole('money'))
  app.decorate('requireOperatorConfirmation', async (request: FastifyRequest) => {
    assertOperatorConfirmed(callerOf(request).confirmed, needSecondFactor, clock())
  })
}

export const requireOperator = fp(requireOperatorPlugin, {
  name: 'require-operator',
  fastify: '5.x',
  dependencies: ['session']
})
