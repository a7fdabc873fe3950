import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'PATCH /api/admin/accounts/{id}': {
    operationId: 'overrideAccount',
    summary: 'Set a plan or limits instead of the account’s own, until they end',
    description: 'After success, all gateways enforce them. `limits` replaces all limits that an operator set before.',
    auth: 'operator',
    errors: ['change_pending']
  },
  'POST /api/admin/accounts/{id}/adjustments': {
    operationId: 'adjustUsage',
    summary: 'Charge or credit an account for a month',
    description:
      'After success, it counts towards the monthly cap everywhere, and the customer sees it. A repeated call with the same `id` changes nothing more.',
    auth: 'operator',
    isLimited: true,
    errors: ['wrong_password', 'identity_unavailable', 'change_pending']
  },
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  }
}
