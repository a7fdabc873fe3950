import type { IncomingMessage } from 'node:http'
import { bodyMemoryOf } from '../admission/body-allowance.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { declaredLength } from './read-body.ts'

/** Whether this process could refuse the bytes of a request only because the plan that it remembers is outdated. */
export function mayNeedOtherPlan(request: IncomingMessage, known: KnownKey, catalog: CatalogView | null): boolean {
  const declared = declaredLength(request)
  if (declared < 0) return known.account === null
  return known.bodyBytes + declared > bodyMemoryOf(known, catalog)
}
