import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'

/** The plan that is in force for what the identity provider says: one of the catalog's, or else the free one. */
export function effectivePlan(catalog: Catalog, plan: string | null): string {
  return isUnknownPlan(catalog, plan) ? freePlan : (plan ?? freePlan)
}

/** Whether an operator wrote down a plan that the catalog does not have. */
export function isUnknownPlan(catalog: Catalog, plan: string | null): boolean {
  return plan !== null && !Object.hasOwn(catalog.plans, plan)
}
