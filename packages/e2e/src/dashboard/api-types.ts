import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { writeApiTypes } from '@tollgate/dashboard/build/api-types.ts'
import t from 'tap'
import { browser, system } from './world.ts'

t.test('the generated API types match the API', async () => {
  if (browser === null) return
  const response = await fetch(`${system.addresses.control}/api/openapi.json`)
  const types = readFileSync(new URL(import.meta.resolve('@tollgate/dashboard/api/operations.ts')), 'utf8')
  assert.equal(writeApiTypes((await response.json()) as OpenApiDocument), types, 'run build/write-api-types.ts')
})
