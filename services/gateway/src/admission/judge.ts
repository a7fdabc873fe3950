import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import { judgeKey, type KeyRefusal, type KeyVerdict, type Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import { planOf } from '@tollgate/contracts/records/budgets.ts'
import type { AccountRecord, KeyRecord } from '@tollgate/contracts/records/records.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { cheapestPlan } from './cheapest-plan.ts'

/** The records that a request is judged on; null if Redis has none. */
export interface JudgedRecords {
  key: KeyRecord | null
  account: AccountRecord | null
}

/** Whether an account's plan and the key's own list include a model. */
export function mayUseModel(records: JudgedRecords, catalog: CatalogView, model: string): boolean {
  const { key, account } = records
  if (key === null || account === null) return false
  return catalog.includes(planOf(account), model) && (key.models === null || key.models.includes(model))
}

/**
 * The refusal of a model. It is the same for a model that does not exist and for one that is in no plan on sale: it must
 * not disclose the catalog.
 */
export function refuseModel(records: JudgedRecords, catalog: CatalogView, model: string): KeyRefusal {
  const message = explainModel(records, catalog, model)
  return { allowed: false, code: 'model_not_allowed', ...(message !== null && { message }) }
}

/**
 * Why a key may not use a model, and what to do. It discloses only what the account's own plan and plans on sale have.
 *
 * @param model the name in the request
 * @returns null if neither has the model: it may not exist
 */
function explainModel({ key, account }: JudgedRecords, catalog: CatalogView, model: string): string | null {
  if (key === null || account === null) return null
  const plan = planOf(account)
  if (catalog.includes(plan, model)) {
    if (key.models?.includes(model) ?? true) return null
    return `The model ${model} is not in the list of models of this key. Add it to the key in the dashboard, or send another key.`
  }
  const offer = cheapestPlan(catalog, (_, id) => catalog.includes(id, model))
  if (offer === null) return null
  return `The model ${model} is part of the ${offer.name} plan, and the account of this key has ${catalog.plan(plan).name}. Choose that plan, or a model that GET /v1/models lists.`
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
  if (!mayUseModel(records, catalog, model)) return refuseModel(records, catalog, model)
  // Plans include only models of the catalog, so this one is of another kind.
  return catalog.model(model, kind) === null ? { allowed: false, code: 'wrong_endpoint' } : verdict
}
