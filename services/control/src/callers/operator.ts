import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Clock } from '../clocks/clock.ts'
import { callerOf } from './session.ts'

/** How long after signing in an operator may act. */
const operatorSessionMs = 12 * 3_600_000

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Hook for `onRequest` of routes for operators. For everybody else the routes do not exist.
     *
     * @throws ServiceError `not_found`; `sign_in_again` for an operator who signed in more than 12 hours ago
     */
    requireOperator(request: FastifyRequest): Promise<void>
  }
}

const requireOperatorPlugin: FastifyPluginAsync<{ clock: Clock }> = async (app, { clock }) => {
  app.decorate('requireOperator', async (request: FastifyRequest) => {
    try {
      await app.requireSession(request)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_authenticated') throw error
      throw new ServiceError('not_found')
    }
    const { user, openedAt } = callerOf(request)
    if (user.role !== 'operator') throw new ServiceError('not_found')
    if (clock().getTime() - openedAt.getTime() >= operatorSessionMs) throw new ServiceError('sign_in_again')
  })
}

export const requireOperator = fp(requireOperatorPlugin, {
  name: 'require-operator',
  fastify: '5.x',
  dependencies: ['session']
})
