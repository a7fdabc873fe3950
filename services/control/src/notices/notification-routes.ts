import { isDeepStrictEqual } from 'node:util'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  ChangeNotificationsRequest,
  type MailKind,
  mailKinds,
  type Notifications,
  NotificationsResponse
} from '@tollgate/contracts/http/notices.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { recordAudit } from '../audit/record-audit.ts'
import { type Caller, callerOf } from '../callers/session.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { mutedMails } from '../database/schema/mails.ts'
import { noticeSettings } from '../database/schema/notices.ts'
import { kindsOfMails } from '../mail/mail-kinds.ts'
import { setMuted, userRecipient } from '../mail/recipients.ts'
import { defaultThresholds, inOrder } from './decide-threshold.ts'
import { noteBudget } from './spend-checks.ts'

export interface SettingsOptions {
  database: Database
  clock: Clock
}

/** `/api/account/notifications`: which mails the caller gets, and the account's thresholds. */
export async function notificationRoutes(
  instance: FastifyInstance,
  { database: { orm }, clock }: SettingsOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const onRequest = app.requireSession
  const response = answers({ 200: NotificationsResponse })

  app.get(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'getNotifications',
        summary: 'Get the mails that the caller gets, and the account’s thresholds',
        response
      }
    },
    async (request) => ({
      notifications: await readSettings(orm, callerOf(request))
    })
  )

  app.patch(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'changeNotifications',
        summary: 'Choose mails, and thresholds of budgets',
        description:
          'Members that are left out stay. Mails of kind `account` cannot be switched off. Only the owner of the account may change the thresholds; `null` restores the default ones, and an empty list switches them off.',
        errors: ['forbidden'],
        body: ChangeNotificationsRequest,
        response
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const changes = request.body as ChangeNotificationsRequest
      const by = { actorId: caller.user.id, ip: request.ip, at: clock() }
      assertAllowed(caller, changes)
      await orm.transaction(async (tx) => {
        for (const [kind, isOn] of Object.entries(changes.mails ?? {}) as Array<[MailKind, boolean]>) {
          await setMuted(tx, userRecipient(caller.user.id), kind, !isOn, by.at)
        }
        if (await changeThresholds(tx, caller.accountId, changes)) {
          const named = ([name, percents]: [string, number[] | null]) => [name, percents?.join(', ') ?? null]
          const { mails: _, ...thresholds } = changes
          const detail = Object.fromEntries(Object.entries(thresholds).map(named)) as Record<string, string | null>
          await recordAudit(tx, { accountId: caller.accountId, ...by, action: 'account.updated', detail })
        }
      })
      return { notifications: await readSettings(orm, caller) }
    }
  )
}

const isOfferedTo = ({ user }: Caller, kind: MailKind): boolean =>
  !kindsOfMails[kind].isForOperators || user.role === 'operator'

/** @throws ServiceError `forbidden` or `invalid_request` */
function assertAllowed(caller: Caller, { mails = {}, thresholds, key_thresholds }: ChangeNotificationsRequest): void {
  const changesThresholds = thresholds !== undefined || key_thresholds !== undefined
  if (changesThresholds && caller.role !== 'owner') throw new ServiceError('forbidden')
  for (const [kind, isOn] of Object.entries(mails) as Array<[MailKind, boolean]>) {
    if (!isOfferedTo(caller, kind)) throw new ServiceError('invalid_request', { message: `mails.${kind}: unknown` })
    if (kindsOfMails[kind].isRequired && !isOn) {
      throw new ServiceError('invalid_request', { message: `mails.${kind}: these mails cannot be switched off` })
    }
  }
}

/** @returns whether anything changed */
async function changeThresholds(
  tx: Transaction,
  accountId: string,
  { thresholds, key_thresholds: keyThresholds }: ChangeNotificationsRequest
): Promise<boolean> {
  const set = {
    ...(thresholds !== undefined && { thresholds: inOrder(thresholds) }),
    ...(keyThresholds !== undefined && { keyThresholds: inOrder(keyThresholds) })
  }
  const [present] = await tx
    .select({ thresholds: noticeSettings.thresholds, keyThresholds: noticeSettings.keyThresholds })
    .from(noticeSettings)
    .where(eq(noticeSettings.accountId, accountId))
    .for('no key update')
  const before = present ?? { thresholds: null, keyThresholds: null }
  if (isDeepStrictEqual({ ...before, ...set }, before)) return false
  await tx
    .insert(noticeSettings)
    .values({ accountId, ...set })
    .onConflictDoUpdate({ target: noticeSettings.accountId, set })
  await noteBudget(tx, accountId, null)
  return true
}

async function readSettings(orm: Orm, caller: Caller): Promise<Notifications> {
  const muted = await orm
    .select({ kind: mutedMails.kind })
    .from(mutedMails)
    .where(eq(mutedMails.recipient, userRecipient(caller.user.id)))
  const [settings] = await orm.select().from(noticeSettings).where(eq(noticeSettings.accountId, caller.accountId))
  const isMuted = (kind: MailKind) => muted.some((row) => row.kind === kind)
  return {
    mails: mailKinds
      .filter((kind) => isOfferedTo(caller, kind))
      .map((kind) => {
        const { isRequired } = kindsOfMails[kind]
        return { kind, on: isRequired || !isMuted(kind), required: isRequired }
      }),
    thresholds: settings?.thresholds ?? [...defaultThresholds],
    key_thresholds: settings?.keyThresholds ?? [...defaultThresholds]
  }
}
