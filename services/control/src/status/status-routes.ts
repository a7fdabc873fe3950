import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { answers } from '@tollgate/contracts/http/error.ts'
import { StatusResponse } from '@tollgate/contracts/http/status.ts'
import type { FastifyInstance } from 'fastify'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { ServiceStatus } from './service-status.ts'

/** `/api/status`: for everybody, also without a session. */
export async function statusRoutes(
  instance: FastifyInstance,
  { status, limits }: { status: ServiceStatus; limits: Limits }
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/',
    {
      preHandler: createRateLimitHook(app, { what: 'read-status', perMinute: limits.readStatus }),
      schema: {
        operationId: 'getStatus',
        summary: 'Get announcements, and the measured speed and uptime of the models on sale',
        description:
          'For everybody; no session is needed. Gateways measure all requests, and report once a minute. A request fails if the service ' +
          'or a provider failed, and no other upstream of the model answered. Errors of clients, refusals of limits, and clients that ' +
          'left before the answer do not count. An hour or a day is `good` if at least 99 % of its requests succeeded or only one ' +
          'failed, `down` if fewer than half succeeded, else `degraded`. It is `unknown` with too few requests: 5 in an hour, 20 in a ' +
          'day. The state is that of the running hour, or of the hour before while there are few requests. With fewer than 20 ' +
          'requests in 24 hours nothing is shown of them.',
        isLimited: true,
        response: answers({ 200: StatusResponse })
      }
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60')
      return status.read()
    }
  )
}
