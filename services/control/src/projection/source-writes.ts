import type { AccountRecord, FreeBudget } from '@tollgate/contracts/records/records.ts'
import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import { statusInForce } from '../database/key-status.ts'
import type { accounts } from '../database/schema/accounts.ts'
import type { formerSecrets, keys } from '../database/schema/keys.ts'
import { isPausedByTeam } from '../database/suspensions.ts'
import type { AdjustedMonth, accountColumns, keyColumns } from './source-queries.ts'

type AccountRow = Pick<
  typeof accounts.$inferSelect,
  Exclude<keyof typeof accountColumns, 'adjusted' | 'freeBudget'>
> & {
  adjusted: AdjustedMonth | null
  freeBudget: FreeBudget | null
}
type KeyRow = Pick<typeof keys.$inferSelect, Exclude<keyof typeof keyColumns, 'shard'>>
type SecretRow = Pick<typeof formerSecrets.$inferSelect, 'accountId' | 'digest' | 'scope'> & { diesAt: Date | null }

export function accountWrite(row: AccountRow, epoch: number): ProjectionWrite {
  return {
    kind: 'account',
    account: row.id,
    version: versionOf(epoch, row.version),
    record: {
      plan: row.plan,
      status: row.status,
      ...(isPausedByTeam(row.suspensions) && { isOwnerInTeam: true as const }),
      ownCapNanos: row.ownCapNanos,
      ...overrideOf(row),
      ...(row.adjusted !== null && { adjusted: row.adjusted }),
      ...(row.freeBudget !== null && { freeBudget: row.freeBudget })
    },
    ...(row.suspensions.includes('deleted') && { isDeleted: true })
  }
}

function overrideOf(row: AccountRow): Pick<AccountRecord, 'override'> {
  const { overridePlan: id, overrideLimits } = row
  if (id === null && overrideLimits === null) return {}
  const { keyQuota: _ofControl, ...limits } = overrideLimits ?? {}
  return {
    override: {
      ...(id !== null && { plan: { id, until: row.overridePlanEndsAt?.getTime() ?? null } }),
      ...(overrideLimits !== null && { limits: { ...limits, until: row.overrideLimitsEndAt?.getTime() ?? null } })
    }
  }
}

export function keyWrite(row: KeyRow, epoch: number): ProjectionWrite {
  return {
    kind: 'key',
    account: row.accountId,
    key: row.id,
    version: versionOf(epoch, row.version),
    record: {
      status: statusInForce(row),
      digest: row.digest,
      previous:
        row.previousDigest === null || row.previousUntil === null
          ? null
          : { digest: row.previousDigest, until: row.previousUntil.getTime() },
      expiresAt: row.expiresAt?.getTime() ?? null,
      models: row.models,
      monthlyBudgetNanos: row.monthlyBudgetNanos,
      requestsPerMinute: row.requestsPerMinute,
      ...(row.cutStreams && { cutStreams: true as const })
    }
  }
}

export function pointerWrite(key: string, { accountId, digest, scope, diesAt }: SecretRow): ProjectionWrite {
  return {
    kind: 'pointer',
    digest,
    pointer: { key, account: accountId, scope },
    diedAt: diesAt?.getTime() ?? null
  }
}
