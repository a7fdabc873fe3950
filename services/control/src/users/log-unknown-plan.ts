import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { nearest } from '@tollgate/service/config/unknown-variables.ts'
import type { FastifyBaseLogger } from 'fastify'
import { isUnknownPlan } from '../catalog/effective-plan.ts'

/** Logs an error if the plan that an operator set at the identity provider is not in the catalog. */
export function logUnknownPlan(
  log: Pick<FastifyBaseLogger, 'error'>,
  catalog: Catalog,
  { id, plan }: { id: string; plan: string | null }
): void {
  if (plan === null || !isUnknownPlan(catalog, plan)) return
  const meant = nearest(plan, Object.keys(catalog.plans))
  const question = meant === null ? '' : `. Did you mean ${meant}?`
  log.error({ userId: id, plan }, `app_metadata.plan is not in the catalog: the free plan applies${question}`)
}
