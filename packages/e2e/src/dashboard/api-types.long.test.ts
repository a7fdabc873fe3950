import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { adminPaths } from '@tollgate/dashboard/api/admin-paths.ts'
import { writeApiTypes } from '@tollgate/dashboard/build/api-types.ts'
import t from 'tap'
import { browser, openWorld, system } from './world.ts'

t.before(() => openWorld(t))

t.test('the generated API types match the API', async () => {
  if (browser === null) return
  const response = await fetch(`${system.addresses.control}/api/openapi.json`)
  const types = readFileSync(new URL(import.meta.resolve('@tollgate/dashboard/api/operations.ts')), 'utf8')
  const document = (await response.json()) as OpenApiDocument
  assert.equal(await writeApiTypes(document), types, 'run build/write-api-types.ts')
  for (const [method, path] of Object.values(adminPaths)) {
    assert.ok(document.paths[path]?.[method.toLowerCase()] !== undefined, `${method} ${path} does not exist`)
  }
})
