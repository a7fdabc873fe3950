import assert from 'node:assert/strict'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { test } from 'tap'
import { forCustomers } from './for-customers.ts'

const operation = (tag: string) => ({ operationId: tag, summary: tag, tags: [tag], security: [], responses: {} })

test('customers see no operation of operators, and no empty path', async () => {
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: 'API', version: '1', description: '' },
    tags: ['Keys', 'Operators'].map((name) => ({ name, description: '' })),
    paths: {
      '/api/keys': { get: operation('Keys'), delete: operation('Operators') },
      '/api/admin/keys': { get: operation('Operators') }
    },
    components: { schemas: {}, securitySchemes: {} }
  }
  const { tags, paths } = forCustomers(document)
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['Keys']
  )
  assert.deepEqual(paths, { '/api/keys': { get: operation('Keys') } })
})
