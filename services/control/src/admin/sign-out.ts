import { AdminAccountParams, ReasonRequest, SignedOutResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { endSessions } from '../callers/sessions.ts'
import type { Transaction } from '../database/connect.ts'
import { members } from '../database/schema/team.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminContext } from './admin-context.ts'
import { findAccount } from './find-account.ts'
import { byOperator, recordAct } from './record-act.ts'

/** `POST /accounts/:id/signout`: ends all sessions of the owner and of all seats. */
export function signOut(app: TypedApp, { database, clock }: AdminContext): void {
  app.post(
    '/accounts/:id/signout',
    {
      onRequest: app.requireSupport,
      schema: { params: AdminAccountParams, body: ReasonRequest, response: answers({ 200: SignedOutResponse }) }
    },
    async (request) => {
      const { id, ownerId } = await findAccount(database.orm, request.params.id)
      const { reason } = request.body
      const by = byOperator(request, clock())
      const sessions = await database.orm.transaction(async (tx) => {
        const ended = await endAllSessions(tx, id, ownerId)
        if (ended === 0) return 0
        const act = { action: 'account.signed_out', accountId: id, detail: { sessions: ended } } as const
        await recordAudit(tx, { ...by, ...act, note: reason })
        await recordAct(tx, by, { ...act, reason })
        return ended
      })
      return { ok: true as const, sessions }
    }
  )
}

/** @returns how many there were */
async function endAllSessions(tx: Transaction, accountId: string, ownerId: string): Promise<number> {
  const seats = await tx.select({ id: members.userId }).from(members).where(eq(members.accountId, accountId))
  let ended = 0
  // In order, so that two operators who do this at once do not wait for each other.
  for (const userId of [ownerId, ...seats.map(({ id }) => id)].sort()) ended += await endSessions(tx, userId)
  return ended
}
