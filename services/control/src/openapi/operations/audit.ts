import type { Operations } from './operation-text.ts'

export const auditOperations: Operations = {
  'GET /api/audit': {
    operationId: 'listAudit',
    summary: 'List the audit log of the account, newest first',
    description: 'Only for the owner of the account. Rows are kept for 400 days by default.',
    auth: 'session',
    errors: ['forbidden']
  }
}
