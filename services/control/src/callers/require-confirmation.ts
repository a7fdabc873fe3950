import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Clock } from '../clocks/clock.ts'
import { assertConfirmed } from './confirmation.ts'
import { callerOf } from './session.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Hook for `onRequest`, after `requireSession`.
     *
     * @throws ServiceError `confirmation_required` if the user has not signed in or given their password in the last 10 minutes
     */
    requireConfirmation(request: FastifyRequest): Promise<void>
  }
}

const confirmationPlugin: FastifyPluginAsync<{ clock: Clock }> = async (app, { clock }) => {
  app.decorate('requireConfirmation', async (request: FastifyRequest) => {
    assertConfirmed(callerOf(request).confirmed, clock())
  })
}

export const requireConfirmation = fp(confirmationPlugin, {
  name: 'require-confirmation',
  fastify: '5.x',
  dependencies: ['session']
})
