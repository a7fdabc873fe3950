import type { ModelKind } from '@tollgate/contracts/catalog/catalog.ts'
import { type ErrorCode, pausedAccountMessage } from '@tollgate/contracts/errors/table.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/** The records that a request is judged on; null where Redis has none. */
export interface JudgedRecords {
  key: KeyRecord | null
  account: AccountRecord | null
}

export type Verdict =
  | {
      allowed: true
      /** When the presented secret stops working, ms since the epoch; null for never. Redis compares it with its clock. */
      endsAt: number | null
      /** What the refusal is once `endsAt` has come. */
      endedCode: ErrorCode
    }
  | {
      allowed: false
      code: ErrorCode
      /** Replaces the code's own message. */
      message?: string
    }

const refused = (code: ErrorCode): Verdict => ({ allowed: false, code })
const paused: Verdict = { allowed: false, code: 'account_suspended', message: pausedAccountMessage }

/** Judges who is asking: the key, the secret that was presented for it, and the account. */
export function judgeKey(records: JudgedRecords, digest: string): Verdict {
  const { key, account } = records
  if (key === null) return refused('invalid_api_key')
  if (key.status === 'revoked') return refused('revoked_api_key')
  let endsAt = key.expiresAt
  let endedCode: ErrorCode = 'expired_api_key'
  if (key.digest !== digest) {
    if (key.previous?.digest !== digest) return refused('revoked_api_key')
    if (endsAt === null || key.previous.until < endsAt) {
      endsAt = key.previous.until
      endedCode = 'revoked_api_key'
    }
  }
  // Control writes an account before its keys: without one, Redis does not hold what it should.
  if (account === null) return refused('state_unavailable')
  if (account.status === 'suspended') return account.isOwnerInTeam ? paused : refused('account_suspended')
  return { allowed: true, endsAt, endedCode }
}

/**
 * Whether an account's plan, and the key's own subset of it, include a model. The refusal is the same for a model that
 * does not exist: the catalog is not disclosed.
 */
export function mayUseModel(records: JudgedRecords, catalog: CatalogView, model: string): boolean {
  const { key, account } = records
  if (key === null || account === null) return false
  return catalog.includes(account.plan, model) && (key.models === null || key.models.includes(model))
}

/** Judges a call of a model: {@link judgeKey}, then the model itself. */
export function judgeCall(
  records: JudgedRecords,
  digest: string,
  catalog: CatalogView,
  model: string,
  kind: ModelKind
): Verdict {
  const verdict = judgeKey(records, digest)
  if (!verdict.allowed) return verdict
  if (catalog.model(model, kind) === null || !mayUseModel(records, catalog, model)) return refused('model_not_allowed')
  return verdict
}
