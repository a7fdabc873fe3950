import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { mayCreateByServer } from './key-quota.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

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
