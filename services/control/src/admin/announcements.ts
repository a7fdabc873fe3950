import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AnnouncementParams,
  AnnouncementRequest,
  AnnouncementResponse,
  AnnouncementsResponse,
  ChangeAnnouncementRequest
} from '@tollgate/contracts/http/admin/announcements.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Transaction } from '../database/connect.ts'
import { announcements as table } from '../database/schema/announcements.ts'
import { readInstant } from '../http/query.ts'
import type { TypedApp } from '../http/typed-app.ts'
import {
  listAnnouncements,
  lockAnnouncement,
  type StoredAnnouncement,
  toAnnouncement
} from '../status/announcements.ts'
import { byOperator, recordAct } from './acts.ts'
import type { AdminContext } from './admin-context.ts'

const reason = 'An operator told everybody about the service.'

/** `/announcements`: what operators tell everybody on the status page. In an outage, no confirmation may be in the way. */
export function announcements(app: TypedApp, context: AdminContext): void {
  addList(app, context)
  addCreation(app, context)
  addChange(app, context)
  addDeletion(app, context)
}

function addList(app: TypedApp, { database, clock }: AdminContext): void {
  app.get(
    '/announcements',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'listAnnouncements',
        summary: 'List the announcements, the latest to start first',
        response: answers({ 200: AnnouncementsResponse })
      }
    },
    async () => ({ announcements: await listAnnouncements(database.orm, clock()) })
  )
}

function addCreation(app: TypedApp, { database, clock }: AdminContext): void {
  app.post(
    '/announcements',
    {
      onRequest: app.requireSupport,
      schema: {
        operationId: 'createAnnouncement',
        summary: 'Announce something on the status page',
        description:
          'Needs the role `support`. Everybody sees the announcement within two minutes of its start, maintenance 7 days before.',
        body: AnnouncementRequest,
        response: answers({ 201: AnnouncementResponse })
      }
    },
    async (request, reply) => {
      const { starts_at, ends_at = null, level, title, text = '' } = request.body
      const now = clock()
      const row = { id: randomUUID(), level, title, text, startsAt: startOf(starts_at) ?? now, endsAt: endOf(ends_at) }
      assertInOrder(row)
      await database.orm.transaction(async (tx) => {
        await tx.insert(table).values(row)
        await record(tx, request, 'announcement.created', row, now)
      })
      return reply.code(201).send({ announcement: toAnnouncement(row, now) })
    }
  )
}

function addChange(app: TypedApp, { database, clock }: AdminContext): void {
  app.patch(
    '/announcements/:id',
    {
      onRequest: app.requireSupport,
      schema: {
        operationId: 'changeAnnouncement',
        summary: 'Change or end an announcement',
        description: 'Needs the role `support`. Safe to repeat.',
        errors: ['not_found'],
        params: AnnouncementParams,
        body: ChangeAnnouncementRequest,
        response: answers({ 200: AnnouncementResponse })
      }
    },
    async (request) => {
      const { starts_at, ends_at, ...rest } = request.body
      const now = clock()
      const row = await database.orm.transaction(async (tx) => {
        const former = await lockAnnouncement(tx, request.params.id)
        const changed = {
          ...former,
          ...rest,
          startsAt: startOf(starts_at) ?? former.startsAt,
          endsAt: ends_at === undefined ? former.endsAt : endOf(ends_at)
        }
        assertInOrder(changed)
        if (isDeepStrictEqual(changed, former)) return former
        await tx.update(table).set(changed).where(eq(table.id, former.id))
        await record(tx, request, 'announcement.changed', changed, now)
        return changed
      })
      return { announcement: toAnnouncement(row, now) }
    }
  )
}

function addDeletion(app: TypedApp, { database, clock }: AdminContext): void {
  app.delete(
    '/announcements/:id',
    {
      onRequest: app.requireSupport,
      schema: {
        operationId: 'deleteAnnouncement',
        summary: 'Delete an announcement',
        description: 'Needs the role `support`. Nobody sees it any more, not even as a past one.',
        errors: ['not_found'],
        params: AnnouncementParams,
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      await database.orm.transaction(async (tx) => {
        const former = await lockAnnouncement(tx, request.params.id)
        await tx.delete(table).where(eq(table.id, former.id))
        await record(tx, request, 'announcement.deleted', former, clock())
      })
      return { ok: true as const }
    }
  )
}

type Action = 'announcement.created' | 'announcement.changed' | 'announcement.deleted'

function record(
  tx: Transaction,
  request: FastifyRequest,
  action: Action,
  { id, level, title, endsAt }: StoredAnnouncement,
  now: Date
): Promise<void> {
  const detail = { level, title, ends_at: endsAt?.toISOString() ?? null }
  return recordAct(tx, byOperator(request, now), { action, accountId: null, subject: id, reason, detail })
}

/** @throws ServiceError `invalid_request` */
function startOf(text: string | undefined): Date | null {
  const time = readInstant('starts_at', text)
  return time === null ? null : new Date(time)
}

/** @throws ServiceError `invalid_request` */
function endOf(text: string | null): Date | null {
  const time = readInstant('ends_at', text ?? undefined)
  return time === null ? null : new Date(time)
}

/** @throws ServiceError `invalid_request` */
function assertInOrder({ startsAt, endsAt }: Pick<StoredAnnouncement, 'startsAt' | 'endsAt'>): void {
  if (endsAt === null || endsAt > startsAt) return
  throw new ServiceError('invalid_request', { message: 'ends_at: must be later than starts_at' })
}
