import assert from 'node:assert/strict'
import type { Catalog, Plan } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { keyQuota, mayAddKey, mayCreateByServer } from './key-quota.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

const withQuota = (quota: number | null): Plan => ({ ...shipped.plans.free!, keyQuota: quota })
const quota = fc.oneof(fc.nat({ max: 1000 }), fc.constant(null))
const catalogs: fc.Arbitrary<Catalog> = fc
  .dictionary(fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/), quota)
  .chain((quotas) => fc.record({ quotas: fc.constant(quotas), free: quota }))
  .map(({ quotas, free }) => ({
    models: {},
    plans: Object.fromEntries(Object.entries({ ...quotas, free }).map(([id, of]) => [id, withQuota(of)]))
  }))
const onPlan = (planInForce: string) => ({ planInForce, overrideLimits: null })
const live = fc.nat({ max: 2000 })

test('the plans of the service allow 1, 5, 20 and any number of keys', async () => {
  const allowed = Object.keys(shipped.plans).map((plan) => [plan, keyQuota(shipped, onPlan(plan))])
  assert.deepEqual(Object.fromEntries(allowed), { free: 1, pro: 5, team: 20, enterprise: Number.POSITIVE_INFINITY })
})

test('an account that adds keys one by one ends with exactly its quota', async () => {
  fc.assert(
    fc.property(catalogs, fc.nat(), (catalog, pick) => {
      const plans = Object.keys(catalog.plans)
      const plan = plans[pick % plans.length]!
      const allowed = catalog.plans[plan]!.keyQuota
      let keys = 0
      while (keys < 2000 && mayAddKey(catalog, onPlan(plan), keys)) keys++
      assert.equal(keys, allowed ?? 2000)
    })
  )
})

test('an operator’s quota replaces the plan’s', async () => {
  fc.assert(
    fc.property(catalogs, live, live, (catalog, keyQuota, keys) => {
      const account = { planInForce: 'free', overrideLimits: { keyQuota } }
      assert.equal(mayAddKey(catalog, account, keys), keys < keyQuota)
    })
  )
})

test('after a change to a lower plan, an account adds no key until it is below its quota', async () => {
  fc.assert(
    fc.property(catalogs, live, (catalog, keys) => {
      for (const [plan, { keyQuota: allowed }] of Object.entries(catalog.plans)) {
        assert.equal(mayAddKey(catalog, onPlan(plan), keys), allowed === null || keys < allowed)
      }
    })
  )
})

test('an unknown plan counts as free, also if its name is a member of every object', async () => {
  fc.assert(
    fc.property(
      catalogs,
      fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__')),
      live,
      (catalog, plan, keys) => {
        fc.pre(!Object.hasOwn(catalog.plans, plan))
        assert.equal(mayAddKey(catalog, onPlan(plan), keys), mayAddKey(catalog, onPlan('free'), keys))
      }
    )
  )
})

test('of the plans of the service, Enterprise lets a server create keys', async () => {
  const allowed = Object.keys(shipped.plans).map((plan) => [plan, mayCreateByServer(shipped, plan)])
  assert.deepEqual(Object.fromEntries(allowed), { free: false, pro: false, team: false, enterprise: true })
  assert.equal(mayCreateByServer(shipped, 'a plan that the catalog lacks'), false, 'like the free plan')
  assert.equal(mayCreateByServer(shipped, null), false)
})

test('if no plan sells it, every plan lets a server create keys', async () => {
  const { enterprise: _, ...plans } = shipped.plans
  const catalog: Catalog = { ...shipped, plans }
  for (const plan of [...Object.keys(plans), 'enterprise', null]) assert.equal(mayCreateByServer(catalog, plan), true)
})
