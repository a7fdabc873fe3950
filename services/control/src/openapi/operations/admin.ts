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
  'DELETE /api/admin/accounts/{id}': {
    operationId: 'deleteAccountByOperator',
    summary: 'Delete an account and its owner',
    description:
      'Asks for the operator’s own password. Revokes all keys, ends the subscriptions and deletes the owner, as if the owner did it. Operators cannot delete their own account here. After a failure, repeat the call.',
    auth: 'operator',
    isLimited: true,
    errors: [
      'wrong_password',
      'forbidden',
      'team_has_members',
      'identity_unavailable',
      'payments_unavailable',
      'revocation_pending'
    ]
  },
  'GET /api/admin/accounts': {
    operationId: 'listAccountsByOperator',
    summary: 'Search all accounts',
    description:
      '`q` finds a part of an address of the owner or a seat, at least four characters at the beginning of an account’s id, a whole key id, and a whole value of a key’s metadata. The spend of this month may be some seconds old.',
    auth: 'operator'
  },
  'GET /api/admin/accounts/{id}': {
    operationId: 'getAccountByOperator',
    summary: 'Get an account with its users, keys, limits, spend, billing and audit log',
    description: 'Shows where each limit comes from. Contains no secrets.',
    auth: 'operator'
  },
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  },
  'POST /api/admin/accounts/{id}/resume': {
    operationId: 'resumeAccountByOperator',
    summary: 'End a suspension by an operator',
    description:
      'After success, all gateways accept the account’s keys again, unless it is suspended for another reason. Safe to repeat.',
    auth: 'operator',
    errors: ['change_pending']
  },
  'POST /api/admin/accounts/{id}/signout': {
    operationId: 'signOutByOperator',
    summary: 'End all sessions of an account’s owner and seats',
    auth: 'operator'
  },
  'POST /api/admin/accounts/{id}/suspend': {
    operationId: 'suspendAccountByOperator',
    summary: 'Suspend an account',
    description:
      'After success, all gateways refuse the account’s keys with `account_suspended`. Operators cannot suspend their own account. Safe to repeat.',
    auth: 'operator',
    errors: ['forbidden', 'change_pending']
  },
  'GET /api/admin/catalog': {
    operationId: 'readCatalog',
    summary: 'Read the catalog in force, and which ones came before',
    auth: 'operator'
  },
  'POST /api/admin/catalog': {
    operationId: 'applyCatalog',
    summary: 'Apply a catalog: the text of a file, or an earlier version',
    description:
      'After success the catalog is in force at this replica of control and in Redis; other replicas and the gateways follow within about a second. After `change_pending`, repeat the call: it publishes nothing twice.',
    auth: 'operator',
    isLimited: true,
    errors: ['wrong_password', 'catalog_refused', 'identity_unavailable', 'change_pending']
  },
  'POST /api/admin/catalog/diff': {
    operationId: 'diffCatalog',
    summary: 'Say what a catalog would change, and for how many accounts',
    description: 'A catalog with problems cannot be applied. Its changes are listed if its file is valid.',
    auth: 'operator'
  },
  'GET /api/admin/system': {
    operationId: 'getSystem',
    summary: 'Get the state of all processes, Redis, the ledger and the catalog',
    description:
      'Processes report every 5 seconds. Counts of errors and webhooks are sums of the running processes, since each started. ' +
      'While Redis is unavailable, `redis.ready` is false and the lists are empty.',
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
