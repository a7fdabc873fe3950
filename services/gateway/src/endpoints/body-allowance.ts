import type { IncomingMessage } from 'node:http'
import { defaultBodyMemoryMb, freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { declaredLength } from './read-body.ts'

const megabyte = 1024 * 1024

/**
 * How many bytes of bodies a key may have in flight, by the plan that this process remembers. While its plan is unknown, a key gets
 * the allowance of the free plan.
 */
export function bodyMemoryOf({ account }: KnownKey, catalog: CatalogView | null): number {
  const limits = catalog?.plan(account === null ? freePlan : account.record.plan).limits
  return (limits?.bodyMemoryMb ?? defaultBodyMemoryMb) * megabyte
}

/** Whether an outdated plan in this process could be the only reason to refuse a request for its bytes. */
export function mayNeedOtherPlan(request: IncomingMessage, known: KnownKey, catalog: CatalogView | null): boolean {
  const declared = declaredLength(request)
  if (declared < 0) return known.account === null
  return known.bodyBytes + declared > bodyMemoryOf(known, catalog)
}
