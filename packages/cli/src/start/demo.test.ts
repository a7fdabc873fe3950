import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { chooseDemo } from './demo.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

test('from the shipped catalog, the demo uses a plan with several keys and one of its chat models', async () => {
  const { plan, model } = chooseDemo(shipped)
  assert.ok((shipped.plans[plan]?.keyQuota ?? 0) > 1)
  assert.ok(model !== null)
  assert.equal(shipped.models[model]?.kind, 'chat')
  assert.ok(shipped.plans[plan]?.models.includes(model))
})

test('without such a plan the demo uses the free plan, and without chat models no model', async () => {
  const { free } = shipped.plans
  assert.ok(free !== undefined)
  assert.equal(chooseDemo({ ...shipped, plans: { free } }).plan, 'free')
  const embeddings = { ...free, models: ['text-embedding-3-small'] }
  assert.deepEqual(chooseDemo({ ...shipped, plans: { free: embeddings } }), { plan: 'free', model: null })
})
