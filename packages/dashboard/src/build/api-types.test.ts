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
  const types = await writeApiTypes(document)
  const compact = types.replace(/\s+/g, ' ')
  for (const part of [
    "export const methodsAndPaths = { changeThing: ['PATCH', '/api/things/{id}'] } as const",
    'changeThing: { parameters: { query?: { dry?: "true" | "false"; }; header?: never; path: { id: string; }; cookie?: never; };',
    'requestBody?: { content: { "application/json": null | { size?: number; }; }; };',
    '"application/json": { names: (string | null)[]; pairs: { [key: string]: string; }; /** @constant */ note?: "it\'s"; };'
  ]) {
    assert.ok(compact.includes(part), `${part}\n\n${compact}`)
  }
  assert.doesNotMatch(types, /404|livez/)
})
