import assert from 'node:assert/strict'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { test } from 'tap'
import { writeApiTypes } from './api-types.ts'

const json = (schema: Record<string, unknown>) => ({ 'application/json': { schema } })
const operation = { summary: '', tags: [], security: [] }

const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: '', version: '1', description: '' },
  tags: [],
  components: { schemas: {}, securitySchemes: {} },
  paths: {
    '/api/things/{id}': {
      patch: {
        ...operation,
        operationId: 'changeThing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'dry', in: 'query', schema: { enum: ['true', 'false'] } }
        ],
        requestBody: {
          required: false,
          content: json({ anyOf: [{ type: 'null' }, { type: 'object', properties: { size: { type: 'integer' } } }] })
        },
        responses: {
          200: {
            description: '',
            content: json({
              type: 'object',
              required: ['names', 'pairs'],
              properties: {
                names: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
                pairs: { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
                note: { const: "it's" }
              }
            })
          },
          404: { description: '', content: json({ type: 'object' }) }
        }
      }
    },
    '/livez': { get: { ...operation, operationId: 'livez', responses: {} } }
  }
}

test('the types of each operation name its path, its input and its successful response', async () => {
  const [, types] = writeApiTypes(document).split('export const paths')
  assert.equal(
    `export const paths${types}`,
    `export const paths = {
  changeThing: ['PATCH', '/api/things/{id}']
} as const

export interface Operations {
  changeThing: {
    params: {
      id: string
    }
    query?: {
      dry?: 'true' | 'false'
    }
    body?: null | {
      size?: number
    }
    answer: {
      names: (string | null)[]
      pairs: Record<string, string>
      note?: 'it\\'s'
    }
  }
}
`
  )
})
