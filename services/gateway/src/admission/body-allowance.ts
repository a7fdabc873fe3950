import { defaultBodyMemoryMb, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { planOf } from '@tollgate/contracts/records/budgets.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'

const megabyte = 1024 * 1024

/**
 * Bytes of bodies that a key may have in flight, by the plan that this process remembers. If it remembers no plan, the
 * free plan's limit applies.
 */
export function bodyMemoryOf({ accountRecord }: KnownKey, catalog: CatalogView | null): number {
  const limits = catalog?.plan(accountRecord === null ? freePlan : planOf(accountRecord.record)).limits
  return (limits?.bodyMemoryMb ?? defaultBodyMemoryMb) * megabyte
}
