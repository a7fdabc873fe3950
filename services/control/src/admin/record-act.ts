import type { FastifyRequest } from 'fastify'
import type { By } from '../audit/by.ts'
import { callerOf } from '../callers/session.ts'
import type { Transaction } from '../database/connect.ts'
import { operatorActs } from '../database/schema/admin.ts'

/** Names of acts. Never reuse one: rows of a year ago still have it. */
export const operatorActions = [
  'account.suspended',
  'account.resumed',
  'account.approved',
  'account.overridden',
  'account.adjusted',
  'account.signed_out',
  'account.deleted',
  'act.asked',
  'act.confirmed',
  'act.rejected',
  'key.revoked',
  'catalog.applied',
  'projection.rebuilt',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.deleted'
] as const

export interface OperatorAct {
  action: (typeof operatorActions)[number]
  /** Null for acts about the whole system. */
  accountId: string | null
  /** Id of the changed thing, if that is not the account. */
  subject?: string
  reason: string
  /** Never contains a secret, a token or a password. */
  detail?: Record<string, string | number | boolean | null>
}

/** The operator of a request behind `requireOperator`, `requireSupport` or `requireMoney`, for the audit logs. */
export const byOperator = (request: FastifyRequest, at: Date): By & { actorId: string } => ({
  actorId: callerOf(request).user.id,
  ip: request.ip,
  at
})

/** Adds a row to the operators' log, in the transaction of the act. */
export async function recordAct(
  tx: Transaction,
  by: By & { actorId: string },
  { subject, detail, ...act }: OperatorAct
): Promise<void> {
  await tx.insert(operatorActs).values({ ...by, ...act, subject: subject ?? null, detail: detail ?? {} })
}
