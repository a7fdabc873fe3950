import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { effectivePlan } from '../catalog/plans.ts'

const partnerApi = 'partner-api'

/**
 * Whether a plan lets a server create keys. It needs the entitlement `partner-api` if any plan of the catalog has it; otherwise the
 * operator does not sell the Keys API apart, and every plan has it.
 *
 * @param plan the plan in force of an account
 */
export function mayCreateByServer(catalog: Catalog, plan: string | null): boolean {
  const isSold = Object.values(catalog.plans).some(({ entitlements }) => entitlements.includes(partnerApi))
  return !isSold || catalog.plans[effectivePlan(catalog, plan)]!.entitlements.includes(partnerApi)
}
