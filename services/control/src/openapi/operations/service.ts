import type { Operations } from './operation-text.ts'

export const serviceOperations: Operations = {
  'GET /api/openapi.json': {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    auth: 'none'
  },
  'GET /livez': { operationId: 'livez', summary: 'Check that the process runs', auth: 'none' }
}
