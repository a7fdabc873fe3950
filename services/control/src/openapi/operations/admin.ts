import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  },
  'GET /api/admin/money': {
    operationId: 'getMoney',
    summary: 'Get cost, revenue and margin of a month, and of the last 12 months',
    description:
      'The cost is the usage at the catalog’s prices. The revenue is what paid invoices say, without refunds. Control copies paid invoices from the payment provider; `invoices_read_at` is the time of the last complete copy. Accounts count under the plan that is in force now, deleted accounts too. `unprofitable` compares the cost of the month with the invoices paid in the month. It leaves out accounts that pay in other currencies than dollars.',
    auth: 'operator'
  },
  'POST /api/admin/keys/revoke': {
    operationId: 'revokeReportedKey',
    summary: 'Revoke a key that somebody reported, for instance a leaked one',
    description:
      'Names the key by its id, its secret, or the SHA-256 (hex) of its secret. A secret that a rotation replaced names its key, too. After success no request is admitted with the key. The owner of the account is mailed once. `revocation_pending` means that the key is revoked, but some gateways may still accept it for a moment. Safe to repeat.',
    auth: 'operator',
    errors: ['not_found', 'revocation_pending']
  }
}
