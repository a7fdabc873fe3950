import type { IncomingMessage } from 'node:http'
import { defaultBodyMemoryMb, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { planOf } from '@tollgate/contracts/records/override.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { declaredLength } from './read-body.ts'

const megabyte = 1024 * 1024

/**
 * Bytes of request bodies that a key may have in flight, by the plan that this process remembers. If it remembers no plan, the free
 * plan's limit applies.
 */
export function bodyMemoryOf({ account }: KnownKey, catalog: CatalogView | null): number {
  const limits = catalog?.plan(account === null ? freePlan : planOf(account.record)).limits
  return (limits?.bodyMemoryMb ?? defaultBodyMemoryMb) * megabyte
}

/** Whether this process could refuse the bytes of a request only because the plan that it remembers is outdated. */
export function mayNeedOtherPlan(request: IncomingMessage, known: KnownKey, catalog: CatalogView | null): boolean {
  const declared = declaredLength(request)
  if (declared < 0) return known.account === null
  return known.bodyBytes + declared > bodyMemoryOf(known, catalog)
}
