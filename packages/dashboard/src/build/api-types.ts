import { type OpenApiDocument, type Operation, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import openapiTypes, { astToString, COMMENT_HEADER, type OpenAPI3 } from 'openapi-typescript'

const head = `/** Generated from control's OpenAPI document: npm run generate */\n\n`

/**
 * Writes a TypeScript module with the types of the `/api/` operations of a document, except those of operators:
 * api/admin.ts has them, so that customers do not load them. `methodsAndPaths` has the method and path of each
 * operation, `operations` its input and its successful response.
 */
export async function writeApiTypes(document: OpenApiDocument): Promise<string> {
  const ours = operationsOf(document).filter(({ path }) => path.startsWith('/api/') && !path.startsWith('/api/admin'))
  const paths: OpenApiDocument['paths'] = {}
  for (const { method, path, operation } of ours) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: withOnlySuccess(operation) }
  }
  const methodsAndPaths = ours.map(
    ({ method, path, operation }) => `  ${operation.operationId}: ['${method}', '${path}']`
  )
  const types = await openapiTypes({ ...document, paths, webhooks: {} } as unknown as OpenAPI3)
  return [
    head,
    `export const methodsAndPaths = {\n${methodsAndPaths.join(',\n')}\n} as const\n\n`,
    astToString(types).replace(COMMENT_HEADER, '')
  ].join('')
}

/**
 * An operation without its texts and failures: all failures have the same form. Its headers are not its input, and its
 * query is text, to which the dashboard adds filters by metadata.
 */
function withOnlySuccess({ description: _, parameters, ...operation }: Operation): Operation {
  const input = parameters
    ?.filter(({ in: place, schema }) => place === 'path' || (place === 'query' && schema?.type !== 'object'))
    .map((one) => (one.schema?.type === 'integer' ? { ...one, schema: { type: 'string' } } : one))
  const successes = Object.entries(operation.responses).filter(([status]) => /^2/.test(status))
  const responses = successes.map(([status, { headers: _headers, ...response }]) => [status, response])
  return {
    ...operation,
    summary: '',
    ...(input !== undefined && input.length > 0 && { parameters: input }),
    responses: Object.fromEntries(responses)
  }
}
