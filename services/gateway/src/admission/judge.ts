import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import { judgeKey, type KeyVerdict, type Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import { planOf } from '@tollgate/contracts/records/budgets.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

/** The records that a request is judged on; null if Redis has none. */
export interface JudgedRecords {
  key: KeyRecord | null
  account: AccountRecord | null
}

const refused = (code: ErrorCode): KeyVerdict => ({ allowed: false, code })

/**
 * Whether an account's plan and the key's own list include a model. The refusal is the same for a model that does not
 * exist: it must not disclose the catalog.
 */
export function mayUseModel(records: JudgedRecords, catalog: CatalogView, model: string): boolean {
  const { key, account } = records
  if (key === null || account === null) return false
  return catalog.includes(planOf(account), model) && (key.models === null || key.models.includes(model))
}

/** Judges a call of a model: {@link judgeKey}, then the model itself. */
export function judgeCall(
  records: JudgedRecords,
  digest: string,
  presenter: Presenter,
  catalog: CatalogView,
  model: string,
  kind: ModelKind
): KeyVerdict {
  const verdict = judgeKey(records, digest, presenter)
  if (!verdict.allowed) return verdict
  if (!mayUseModel(records, catalog, model)) return refused('model_not_allowed')
  // Plans include only models of the catalog, so this one is of another kind.
  return catalog.model(model, kind) === null ? refused('wrong_endpoint') : verdict
}
