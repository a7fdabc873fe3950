import { type Catalog, freePlan } from '@tollgate/contracts/catalog/catalog.ts'

/** The plan of the catalog that applies to a stored plan; the free plan if the catalog lacks it. */
export function effectivePlan(catalog: Catalog, plan: string | null): string {
  return isUnknownPlan(catalog, plan) ? freePlan : (plan ?? freePlan)
}

/** Whether a plan is set that the catalog lacks, for instance by an operator. */
export function isUnknownPlan(catalog: Catalog, plan: string | null): boolean {
  return plan !== null && !Object.hasOwn(catalog.plans, plan)
}
