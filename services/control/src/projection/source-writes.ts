import { versionOf } from '@tollgate/contracts/records/version.ts'
import type { ProjectionWrite } from '@tollgate/state/projection/write-records.ts'
import type { accounts } from '../database/schema/accounts.ts'
import type { formerSecrets, keys } from '../database/schema/keys.ts'
import { isPausedByTeam } from '../database/suspensions.ts'
import type { accountColumns, keyColumns } from './source-queries.ts'

type AccountRow = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns>
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
      ownCapNanos: row.ownCapNanos
    },
    ...(row.suspensions.includes('deleted') && { isDeleted: true })
  }
}

export function keyWrite(row: KeyRow, epoch: number): ProjectionWrite {
  return {
    kind: 'key',
    account: row.accountId,
    key: row.id,
    version: versionOf(epoch, row.version),
    record: {
      status: row.status,
      digest: row.digest,
      previous:
        row.previousDigest === null || row.previousUntil === null
          ? null
          : { digest: row.previousDigest, until: row.previousUntil.getTime() },
      expiresAt: row.expiresAt?.getTime() ?? null,
      models: row.models,
      monthlyBudgetNanos: row.monthlyBudgetNanos,
      requestsPerMinute: row.requestsPerMinute
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
