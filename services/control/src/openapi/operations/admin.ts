import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  }
}
