import type { Operations } from './operation-text.ts'

export const auditOperations: Operations = {
  'GET /api/audit': {
    operationId: 'listAudit',
    summary: 'List the audit log of the account, newest first',
    description:
      'Only for the owner of the account. Rows are kept for 400 days by default. All conditions must hold. A search for something rare may take several pages: a page can have fewer entries than `limit`, or none. Go on while `next_cursor` is not null.',
    auth: 'session',
    errors: ['forbidden']
  },
  'GET /api/audit/export': {
    operationId: 'exportAudit',
    summary: 'Export the audit log of the account',
    description:
      'Only for the owner of the account. The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
    auth: 'session',
    errors: ['forbidden'],
    isLimited: true
  }
}
