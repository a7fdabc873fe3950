import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  },
  'GET /api/admin/ledger': {
    operationId: 'compareLedger',
    summary: 'Compare what Redis has counted with the ledger',
    description:
      'An answer is about up to 5000 accounts, in the order of their ids. Only differences are listed. Differences of the last seconds are normal: `is_normal` is true.',
    auth: 'operator',
    errors: ['state_unavailable']
  },
  'GET /api/admin/projection': {
    operationId: 'getProjection',
    summary: 'Get how far the copy of PostgreSQL in Redis is',
    auth: 'operator'
  },
  'POST /api/admin/projection/rebuild': {
    operationId: 'rebuildProjection',
    summary: 'Write everything to Redis again',
    description:
      'Repairs Redis after somebody has changed its data. Until a part of the accounts is written, gateways use its earlier state.',
    auth: 'operator',
    isLimited: true,
    errors: ['wrong_password', 'not_authenticated', 'identity_unavailable']
  },
  'GET /api/admin/usage': {
    operationId: 'exportUsage',
    summary: 'Export the ledger of all accounts',
    description:
      'A stream of any length, as NDJSON or CSV. With `group=day,model` it has one row for each day and model. Usage is up to 5 seconds old. A failure cuts the stream before its end.',
    auth: 'operator'
  }
}
