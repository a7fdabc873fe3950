import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { EventsQuery, EventsResponse, SeenEventsRequest, SeenEventsResponse } from '@tollgate/contracts/http/notices.ts'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { callerOf } from '../callers/session.ts'
import type { Database } from '../database/connect.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { readPage } from './event-cursor.ts'
import { type Feed, markSeen, readEvents } from './read-events.ts'

/** `/api/events`: what happened in the caller's account, for the bell of the dashboard. */
export async function eventEndpoints(instance: FastifyInstance, { database }: { database: Database }): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  addFeed(app, database, {
    path: '',
    onRequest: app.requireSession,
    list: {
      operationId: 'listEvents',
      summary: 'List what happened in the account, newest first',
      description:
        'The types and their `data` are those of webhooks. Somebody with a seat does not see failed payments and disabled webhook endpoints.'
    },
    operationOfSeen: 'markEventsSeen',
    feedOf(request) {
      const { accountId, role, user } = callerOf(request)
      return { accountId, role, userId: user.id }
    }
  })
}

/** `/events` of operators: what concerns the whole system. */
export function operatorEvents(app: TypedApp, { database }: { database: Database }): void {
  addFeed(app, database, {
    path: '/events',
    onRequest: app.requireOperator,
    list: {
      operationId: 'listOperatorEvents',
      summary: 'List what happened in the whole system, newest first',
      description:
        'Failing providers, requests that failed over, accounts with unusual spend. Kept for `EVENTS_KEPT_DAYS`.'
    },
    operationOfSeen: 'markOperatorEventsSeen',
    feedOf: (request) => ({ accountId: null, role: 'owner', userId: callerOf(request).user.id })
  })
}

/** The same two routes are there for accounts and for operators. */
interface FeedRoutes {
  /** Empty for the root of the instance. */
  readonly path: string
  readonly onRequest: (request: FastifyRequest) => Promise<void>
  readonly list: Pick<FastifySchema, 'operationId' | 'summary' | 'description'>
  readonly operationOfSeen: string
  readonly feedOf: (request: FastifyRequest) => Feed
}

function addFeed(app: TypedApp, { orm }: Database, routes: FeedRoutes): void {
  const { path, onRequest, list, operationOfSeen, feedOf } = routes
  app.get(
    path === '' ? '/' : path,
    { onRequest, schema: { ...list, querystring: EventsQuery, response: answers({ 200: EventsResponse }) } },
    async (request) => readEvents(orm, feedOf(request), readPage(request.query))
  )
  app.post(
    `${path}/seen`,
    {
      onRequest,
      schema: {
        operationId: operationOfSeen,
        summary: 'Mark an event and all earlier ones as seen',
        description: 'For the caller alone. Safe to repeat; a mark never moves back.',
        errors: ['not_found'],
        body: SeenEventsRequest,
        response: answers({ 200: SeenEventsResponse })
      }
    },
    async (request) => {
      const unread = await markSeen(orm, feedOf(request), request.body.id.toLowerCase())
      if (unread === null) throw new ServiceError('not_found')
      return { unread }
    }
  )
}
