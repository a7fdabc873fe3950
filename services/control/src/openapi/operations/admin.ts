import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  },
  'GET /api/admin/system': {
    operationId: 'getSystem',
    summary: 'Get the state of all processes, Redis, the ledger and the catalog',
    description:
      'Processes report every 5 seconds. Counts of errors and webhooks are sums of the running processes, since each started. ' +
      'While Redis is unavailable, `redis.ready` is false and the lists are empty.',
    auth: 'operator'
  }
}
