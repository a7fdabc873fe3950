import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  AdminLedgerQuery,
  AdminLedgerResponse,
  type LedgerDifference,
  type LedgerDifferenceReason
} from '@tollgate/contracts/http/admin/ledger.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { formatSignedUsd, formatUsd } from '@tollgate/contracts/money/usd.ts'
import { and, eq, gt, isNull } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type ComparedAccount, compareLedger, noSums, readLedgerSums } from '../usage/compare-ledger.ts'
import { monthOf } from '../usage/usage-range.ts'
import type { AdminContext } from './admin-context.ts'

const defaultLimit = 50
/** Accounts per query, and per answer: an answer takes less than about a second. */
const accountsPerStep = 500
const accountsPerAnswer = 5000

const explanations: Record<LedgerDifferenceReason, string> = {
  not_copied_yet:
    'Usage of the last seconds is not in the ledger yet. This is normal. If it stays, look for "usage is not copied" in the log of control.',
  not_seeded:
    'Redis has no counter for this account. This is normal for some seconds after Redis lost data; gateways refuse the account’s requests until then. If it stays, run: tollgate projection status',
  redis_has_more:
    'Redis has counted usage that the ledger does not have. PostgreSQL was restored to an earlier state, or usage was lost on its way. The higher amount counts towards the cap. To find the difference, run: tollgate ledger verify --provider FILE',
  ledger_has_more:
    'The ledger has usage that Redis has lost, so the account may exceed its cap by this amount. Run: tollgate projection rebuild'
}
const normal: ReadonlySet<LedgerDifferenceReason> = new Set(['not_copied_yet'])

/** `GET /ledger`: compares what Redis has counted with the ledger. */
export function ledgerComparison(app: TypedApp, { database, redis, clock }: AdminContext): void {
  const { orm } = database
  app.get(
    '/ledger',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'compareLedger',
        summary: 'Compare what Redis has counted with the ledger',
        description:
          'An answer covers up to 5000 accounts, in the order of their ids. Only differences are listed. Differences of the last seconds are normal: `is_normal` is true.',
        errors: ['state_unavailable'],
        querystring: AdminLedgerQuery,
        response: answers({ 200: AdminLedgerResponse })
      }
    },
    async (request) => {
      const now = clock()
      const { from: present } = monthOf(now)
      const month = request.query.month === undefined ? present : new Date(`${request.query.month}-01T00:00:00Z`)
      const isCompared = month.getTime() === present.getTime()
      const limit = Number(request.query.limit ?? defaultLimit)
      const read = (ids: string[]) =>
        isCompared ? compareLedger(orm, redis, ids, month) : readPastMonth(orm, ids, month)
      const { rows, next } = await readAccounts(orm, readCursor(request.query.cursor), limit, read)
      return {
        ledger: {
          month: month.toISOString().slice(0, 7),
          at: now.toISOString(),
          is_compared: isCompared,
          accounts: rows.length,
          ledger_usd: formatSignedUsd(sumOf(rows, 'ledger')),
          adjustments_usd: formatSignedUsd(sumOf(rows, 'adjustments')),
          differences: rows.flatMap(toDifference)
        },
        has_more: next !== null,
        next_cursor: next
      }
    }
  )
}

type Compared = ComparedAccount & { email: string }

/** Reads accounts after an id, until there are enough of them or enough differences. */
async function readAccounts(
  orm: Orm,
  from: string | null,
  limit: number,
  read: (ids: string[]) => Promise<ComparedAccount[]>
): Promise<{ rows: Compared[]; next: string | null }> {
  const rows: Compared[] = []
  let after = from
  let left = limit
  while (rows.length < accountsPerAnswer) {
    const step = await accountsAfter(orm, after)
    for (const compared of await read(step.map(({ id }) => id))) {
      rows.push({ ...compared, email: step.find(({ id }) => id === compared.account)?.email ?? '' })
      if (compared.difference !== null) left--
      if (left === 0) return { rows, next: compared.account }
    }
    after = step.at(-1)?.id ?? after
    if (step.length < accountsPerStep) return { rows, next: null }
  }
  return { rows, next: after }
}

const accountsAfter = (orm: Orm, after: string | null) =>
  orm
    .select({ id: accounts.id, email: users.email })
    .from(accounts)
    .leftJoin(users, and(eq(users.id, accounts.ownerId), isNull(users.deletedAt)))
    .where(after === null ? undefined : gt(accounts.id, after))
    .orderBy(accounts.id)
    .limit(accountsPerStep)

async function readPastMonth(orm: Orm, ids: readonly string[], month: Date): Promise<ComparedAccount[]> {
  const sums = await readLedgerSums(orm, ids, month)
  return ids.map((account) => ({ account, ...(sums.get(account) ?? noSums), counted: null, difference: null }))
}

function toDifference({ account, email, counted, ledger, adjustments, difference }: Compared): LedgerDifference[] {
  if (difference === null) return []
  return [
    {
      account_id: account,
      email,
      counted_usd: counted === null ? null : formatUsd(counted),
      ledger_usd: formatSignedUsd(ledger),
      adjustments_usd: formatSignedUsd(adjustments),
      difference_usd: formatSignedUsd((counted ?? 0n) - ledger),
      reason: difference,
      is_normal: normal.has(difference),
      explanation: explanations[difference]
    }
  ]
}

const sumOf = (rows: readonly Compared[], what: 'ledger' | 'adjustments'): bigint =>
  rows.reduce((sum, row) => sum + row[what], 0n)

/** @throws ServiceError `invalid_request` */
function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor)) return cursor
  throw new ServiceError('invalid_request', {
    message: 'cursor: not valid for this list. Use next_cursor of the previous page.'
  })
}
