import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import fc from 'fast-check'
import type { Subscription } from '../payments.ts'

/** The catalog of the repository. */
export const catalog: Catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

export const statuses = [
  'trialing',
  'active',
  'past_due',
  'incomplete',
  'incomplete_expired',
  'canceled',
  'unpaid',
  'paused'
] as const
export const knownPrices = ['price_pro_monthly', 'price_pro_yearly', 'price_team_monthly', 'price_team_yearly']
export const aDay = new Date('2026-11-01T00:00:00Z')

/** A subscription to the plan pro that is paid. */
export function subscription(changes: Partial<Subscription> = {}): Subscription {
  return {
    id: 'sub_1',
    customerId: 'cus_1',
    status: 'active',
    createdAt: aDay,
    priceIds: ['price_pro_monthly'],
    periodEndsAt: new Date('2026-12-01T00:00:00Z'),
    cancelAt: null,
    isUnpaid: false,
    accountId: null,
    ...changes
  }
}

/** Random subscriptions of one customer, some with unknown prices and statuses. */
export const anySubscriptions = (options: { prices?: string[]; statuses?: readonly string[] } = {}) =>
  fc
    .array(
      fc.record({
        status: fc.constantFrom(...(options.statuses ?? statuses)),
        priceIds: fc.subarray(options.prices ?? [...knownPrices, 'price_unknown'], { minLength: 1, maxLength: 2 }),
        age: fc.nat({ max: 3 }),
        cancelAt: fc.constantFrom(null, new Date('2026-11-20T00:00:00Z')),
        isUnpaid: fc.boolean(),
        accountId: fc.constantFrom(null, 'ours')
      }),
      { maxLength: 5 }
    )
    .map((some) =>
      some.map(({ age, ...changes }, index) =>
        subscription({ ...changes, id: `sub_${index}`, createdAt: new Date(aDay.getTime() - age * 1000) })
      )
    )
