import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { EventsQuery, EventsResponse, SeenEventsRequest, SeenEventsResponse } from '@tollgate/contracts/http/notices.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { Database } from '../database/connect.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { readPage } from './event-cursor.ts'
import { type Feed, markSeen, readEvents } from './read-events.ts'

/** `/api/events`: what happened in the caller's account, for the bell of the dashboard. */
export async function eventEndpoints(instance: FastifyInstance, { database }: { database: Database }): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  addFeed(app, '', database, app.requireSession, (request) => {
    const { accountId, role, user } = callerOf(request)
    return { accountId, role, userId: user.id }
  })
}

/** `/events` of operators: what concerns the whole system. */
export function operatorEvents(app: TypedApp, { database }: { database: Database }): void {
  addFeed(app, '/events', database, app.requireOperator, (request) => ({
    ...{ accountId: null, role: 'owner', userId: callerOf(request).user.id }
  }))
}

function addFeed(
  app: TypedApp,
  path: string,
  { orm }: Database,
  onRequest: (request: FastifyRequest) => Promise<void>,
  feedOf: (request: FastifyRequest) => Feed
): void {
  app.get(
    path === '' ? '/' : path,
    { onRequest, schema: { querystring: EventsQuery, response: answers({ 200: EventsResponse }) } },
    async (request) => readEvents(orm, feedOf(request), readPage(request.query))
  )
  app.post(
    `${path}/seen`,
    { onRequest, schema: { body: SeenEventsRequest, response: answers({ 200: SeenEventsResponse }) } },
    async (request) => {
      const unread = await markSeen(orm, feedOf(request), request.body.id.toLowerCase())
      if (unread === null) throw new ServiceError('not_found')
      return { unread }
    }
  )
}
