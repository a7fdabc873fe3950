import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { AdminAccountParams } from '@tollgate/contracts/http/admin/accounts.ts'
import { AdjustmentRequest, AdjustmentResponse } from '@tollgate/contracts/http/admin/adjustments.ts'
import { PendingActResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { formatSignedUsd } from '@tollgate/contracts/money/usd.ts'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { eq } from 'drizzle-orm'
import { recordAudit } from '../audit/record-audit.ts'
import { countBudgetsNow } from '../budgets/count-budgets.ts'
import { noteBudgetCounts } from '../budgets/stored-budgets.ts'
import { exactNanos } from '../catalog/plans.ts'
import { earliestTime } from '../clocks/clock.ts'
import type { Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { adjustments } from '../database/schema/audit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { noteBudget } from '../notices/spend-checks.ts'
import { recordChange } from '../projection/record-change.ts'
import { type AdjustmentRow, nameOfMonth, startOfMonth, sumAdjustments, toAdjustment } from '../usage/month-spend.ts'
import { monthOf } from '../usage/usage-range.ts'
import { byOperator, recordAct } from './acts.ts'
import { type AdminContext, assertNotOwnAccount, findAccount } from './admin-context.ts'
import { type ByOperator, doOrAsk, type MoneyAct, readPending } from './money-act.ts'

/** Sums above this are not exact where gateways compute with doubles. */
const maxSumNanos = 1_000_000_000_000_000n

/**
 * `POST /accounts/:id/adjustments`: charges or credits an account for a month. It counts towards the monthly cap at
 * once.
 */
export function adjustUsage(app: TypedApp, context: AdminContext): void {
  const { database, projector, redis, clock } = context
  const { orm } = database
  app.post(
    '/accounts/:id/adjustments',
    {
      onRequest: [app.requireMoney, app.requireOperatorConfirmation],
      schema: {
        operationId: 'adjustUsage',
        summary: 'Charge or credit an account for a month',
        description:
          'Needs the role `money` and a confirmation. Not for the operator’s own account. After success, it counts towards the monthly cap everywhere, and the customer sees it. Repeat a call with the same `id`: the amount counts once. An amount above `OPERATOR_CONFIRM_ABOVE_USD` gets 202: nothing is adjusted until another operator confirms the pending act.',
        errors: ['change_pending'],
        params: AdminAccountParams,
        body: AdjustmentRequest,
        response: answers({ 200: AdjustmentResponse, 202: PendingActResponse })
      }
    },
    async (request, reply) => {
      const { id: accountId } = await findAccount(orm, request.params.id)
      assertNotOwnAccount(request, accountId)
      const act = await adjustmentAct(context, accountId, request.body)
      const { pendingId, done } = await doOrAsk(context, act, byOperator(request, clock()))
      if (pendingId !== null) return reply.code(202).send({ pending: await readPending(orm, pendingId) })
      const isInForce = await projector.accountChanged(accountId)
      const sources = { database, redis, log: request.log }
      if (!isInForce || !(await countBudgetsNow(sources, accountId, null))) throw new ServiceError('change_pending')
      return { adjustment: toAdjustment(done) }
    }
  )
}

/** Checks an adjustment. @throws ServiceError `invalid_request` naming the field */
export async function adjustmentAct(
  { database: { orm }, redis, clock }: Pick<AdminContext, 'database' | 'redis' | 'clock'>,
  accountId: string,
  body: AdjustmentRequest
): Promise<MoneyAct<AdjustmentRow>> {
  const nanos = exactNanos('amount_usd', body.amount_usd)
  if (nanos === 0) throw new ServiceError('invalid_request', { message: 'amount_usd: must not be 0' })
  const month = startOfMonth(body.month)
  // By the earliest clock, so that no adjustment is in force before its month begins.
  if (month > monthOf(await earliestTime(orm, redis, clock)).from) {
    throw new ServiceError('invalid_request', { message: 'month: must not be in the future' })
  }
  const wanted = { id: body.id.toLowerCase(), accountId, month, nanos, reason: body.reason }
  return {
    action: 'account.adjusted',
    accountId,
    body,
    detail: describe(wanted),
    async nanos(tx) {
      const isStored = (await tx.$count(adjustments, eq(adjustments.id, wanted.id))) > 0
      return isStored ? 0 : Math.abs(nanos)
    },
    run: (tx, by) => store(tx, { ...wanted, actorId: by.actorId, at: by.at }, by)
  }
}

/** What the logs keep of an adjustment. */
const describe = ({ nanos, month }: Pick<AdjustmentRow, 'nanos' | 'month'>) => ({
  amount_usd: formatSignedUsd(BigInt(nanos)),
  month: nameOfMonth(month)
})

/** Stores an adjustment, unless one with this id is stored. @throws ServiceError `invalid_request` */
async function store(tx: Transaction, row: AdjustmentRow, by: ByOperator): Promise<AdjustmentRow> {
  const { id, accountId, month, nanos, reason } = row
  const version = await recordChange(tx, [accountShard(accountId)])
  const [earlier] = await tx.select().from(adjustments).where(eq(adjustments.id, id))
  if (earlier !== undefined) {
    const isSame =
      earlier.accountId === accountId && earlier.nanos === nanos && earlier.month.getTime() === month.getTime()
    if (isSame) return earlier
    throw new ServiceError('invalid_request', { message: 'id: another adjustment has this id. Send a new random id.' })
  }
  await tx.update(accounts).set({ version }).where(eq(accounts.id, accountId))
  const sum = BigInt(nanos) + (await sumAdjustments(tx, accountId, month, monthOf(month).to))
  if (sum > maxSumNanos || sum < -maxSumNanos) {
    throw new ServiceError('invalid_request', {
      message: 'amount_usd: adjustments of a month must not exceed $1,000,000'
    })
  }
  await tx.insert(adjustments).values(row)
  await noteBudget(tx, accountId, null)
  const [account] = await tx.select({ budgets: accounts.budgets }).from(accounts).where(eq(accounts.id, accountId))
  await noteBudgetCounts(tx, { accountId, keyId: null }, account!.budgets)
  const detail = describe(row)
  await recordAudit(tx, { accountId, ...by, note: reason, action: 'account.adjusted', subject: id, detail })
  await recordAct(tx, by, { action: 'account.adjusted', accountId, subject: id, reason, detail })
  return row
}
