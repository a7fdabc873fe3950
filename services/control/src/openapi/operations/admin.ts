import type { Operations } from './operation-text.ts'
import { ofKeysWith } from './requests.ts'

/** Failures of acts that need a role. */
const byRole = ['forbidden'] as const
/** Failures of acts that need a role, and a password that was given in the last 10 minutes. */
const byConfirmed = ['forbidden', 'confirmation_required', 'operator_needs_second_factor'] as const

export const adminOperations: Operations = {
  'PATCH /api/admin/accounts/{id}': {
    operationId: 'overrideAccount',
    summary: 'Set a plan or limits instead of the account’s own, until they end',
    description:
      'Needs the role `money` and a confirmation. Not for the operator’s own account. After success, all gateways enforce them. `limits` replaces all limits that operators set before. A monthly budget above `OPERATOR_CONFIRM_ABOVE_USD` gets 202: nothing is changed until another operator confirms the pending act.',
    auth: 'operator',
    errors: [...byConfirmed, 'change_pending']
  },
  'POST /api/admin/accounts/{id}/adjustments': {
    operationId: 'adjustUsage',
    summary: 'Charge or credit an account for a month',
    description:
      'Needs the role `money` and a confirmation. Not for the operator’s own account. After success, it counts towards the monthly cap everywhere, and the customer sees it. Repeat a call with the same `id`: the amount counts once. An amount above `OPERATOR_CONFIRM_ABOVE_USD` gets 202: nothing is adjusted until another operator confirms the pending act.',
    auth: 'operator',
    errors: [...byConfirmed, 'change_pending']
  },
  'GET /api/admin/pending-acts': {
    operationId: 'listPendingActs',
    summary: 'List what waits for a second operator, the oldest first',
    description: 'Acts above `OPERATOR_CONFIRM_ABOVE_USD`. They end after 7 days.',
    auth: 'operator'
  },
  'POST /api/admin/pending-acts/{id}/confirm': {
    operationId: 'confirmPendingAct',
    summary: 'Do what another operator asked for',
    description:
      'Needs the role `money` and a confirmation. Not for the operator who asked, and not for the operator’s own account. Everything is checked again, and done once. After success, it is in force at all gateways. Safe to repeat.',
    auth: 'operator',
    errors: [...byConfirmed, 'not_found', 'pending_act_closed', 'change_pending']
  },
  'POST /api/admin/pending-acts/{id}/reject': {
    operationId: 'rejectPendingAct',
    summary: 'Refuse what another operator asked for',
    description:
      'Needs the role `money` and a confirmation. Not for the operator who asked, and not for the operator’s own account. Safe to repeat.',
    auth: 'operator',
    errors: [...byConfirmed, 'not_found', 'pending_act_closed']
  },
  'DELETE /api/admin/accounts/{id}': {
    operationId: 'deleteAccountByOperator',
    summary: 'Delete an account and its owner',
    description:
      'Needs the role `support` and a confirmation. Revokes all keys, ends the subscriptions and deletes the owner, as if the owner did it. Operators cannot delete their own account here. After a failure, repeat the call.',
    auth: 'operator',
    errors: [...byConfirmed, 'team_has_members', 'identity_unavailable', 'payments_unavailable', 'revocation_pending']
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
  'POST /api/admin/accounts/{id}/approve': {
    operationId: 'approveAccountByOperator',
    summary: 'Approve an account that waits for approval',
    description:
      'Needs the role `support`. With `SIGNUP=approved`, new accounts wait for it. Not for the operator’s own account. The owner gets a mail. Safe to repeat.',
    auth: 'operator',
    errors: [...byRole, 'change_pending']
  },
  'POST /api/admin/accounts/{id}/resume': {
    operationId: 'resumeAccountByOperator',
    summary: 'End a suspension by an operator',
    description:
      'Needs the role `support`. Not for the operator’s own account. After success, all gateways accept the account’s keys again, unless it is suspended for another reason. Safe to repeat.',
    auth: 'operator',
    errors: [...byRole, 'change_pending']
  },
  'POST /api/admin/accounts/{id}/signout': {
    operationId: 'signOutByOperator',
    summary: 'End all sessions of an account’s owner and seats',
    description: 'Needs the role `support`.',
    auth: 'operator',
    errors: [...byRole]
  },
  'POST /api/admin/accounts/{id}/suspend': {
    operationId: 'suspendAccountByOperator',
    summary: 'Suspend an account',
    description:
      'Needs the role `support`. After success, all gateways refuse the account’s keys with `account_suspended`, and end its open requests. Operators cannot suspend their own account. Safe to repeat.',
    auth: 'operator',
    errors: [...byRole, 'change_pending']
  },
  'GET /api/admin/catalog': {
    operationId: 'readCatalog',
    summary: 'Get the catalog in force and its history',
    auth: 'operator'
  },
  'POST /api/admin/catalog': {
    operationId: 'applyCatalog',
    summary: 'Apply a catalog: the text of a file, or an earlier version',
    description:
      'Needs the role `money` and a confirmation. After success the catalog is in force at this replica of control and in Redis; other replicas and the gateways follow within about a second. After `change_pending`, repeat the call: it publishes nothing twice.',
    auth: 'operator',
    errors: [...byConfirmed, 'catalog_refused', 'change_pending']
  },
  'POST /api/admin/catalog/diff': {
    operationId: 'diffCatalog',
    summary: 'Compare a catalog with the one in force',
    description:
      'Lists each change, its meaning and the number of accounts that it touches. A catalog with problems cannot be applied.',
    auth: 'operator'
  },
  'GET /api/admin/system': {
    operationId: 'getSystem',
    summary: 'Get the state of all processes, Redis, the ledger and the catalog',
    description:
      'Processes report every 5 seconds. Errors and webhooks are counted since the running processes started. ' +
      'While Redis is unavailable, `redis.ready` is false and the lists are empty.',
    auth: 'operator'
  },
  'GET /api/admin/money': {
    operationId: 'getMoney',
    summary: 'Get cost, revenue and margin of a month, and of the last 12 months',
    description:
      'The cost is the usage at the catalog’s prices. The revenue is the sum of paid invoices. Refunds are not subtracted. Control copies paid invoices from the payment provider; `invoices_read_at` is the time of the last complete copy. Each account, also a deleted one, counts under the plan that is in force now. `unprofitable` compares the cost of the month with the invoices paid in the month. It leaves out accounts that pay in other currencies than dollars.',
    auth: 'operator'
  },
  'POST /api/admin/keys/find': {
    operationId: 'findReportedKey',
    summary: 'Get whose key somebody reported',
    description:
      'Name the key by its id, its secret, or the SHA-256 (hex) of its secret. A secret that a rotation replaced also names its key. Nothing changes.',
    auth: 'operator',
    errors: ['not_found']
  },
  'POST /api/admin/keys/revoke': {
    operationId: 'revokeReportedKey',
    summary: 'Revoke a key that somebody reported, for instance a leaked one',
    description:
      'Needs the role `support` and a confirmation. Name the key by its id, its secret, or the SHA-256 (hex) of its secret. A secret that a rotation replaced also names its key. After success, gateways admit no request with the key. The owner of the account gets one mail. `revocation_pending` means that the key is revoked, but some gateways may still accept it for a moment. Safe to repeat.',
    auth: 'operator',
    errors: [...byConfirmed, 'not_found', 'revocation_pending']
  },
  'GET /api/admin/ledger': {
    operationId: 'compareLedger',
    summary: 'Compare what Redis has counted with the ledger',
    description:
      'An answer covers up to 5000 accounts, in the order of their ids. Only differences are listed. Differences of the last seconds are normal: `is_normal` is true.',
    auth: 'operator',
    errors: ['state_unavailable']
  },
  'GET /api/admin/ledger/receipts': {
    operationId: 'compareReceipts',
    summary: 'Compare the receipts of requests with the ledger',
    description:
      'An answer covers as many hours as control can compare in about two seconds. Only differences are listed. `not_copied_yet` goes away by itself.',
    auth: 'operator'
  },
  'GET /api/admin/projection': {
    operationId: 'getProjection',
    summary: 'Check whether Redis has all changes from PostgreSQL',
    auth: 'operator'
  },
  'POST /api/admin/projection/rebuild': {
    operationId: 'rebuildProjection',
    summary: 'Write everything to Redis again',
    description:
      'Needs the role `support` and a confirmation. Repairs Redis after somebody has changed its data. Gateways use the earlier state of an account until control has written it.',
    auth: 'operator',
    errors: [...byConfirmed]
  },
  'GET /api/admin/requests': {
    operationId: 'listRequestsByOperator',
    summary: 'Search the requests of an account, newest first',
    description: 'As `GET /api/requests`, for any account, with the upstream that served each request.',
    auth: 'operator',
    parameters: [ofKeysWith]
  },
  'GET /api/admin/requests/export': {
    operationId: 'exportRequestsByOperator',
    summary: 'Export the requests of an account',
    description: 'As `GET /api/requests/export`, for any account. Needs the role `money` and a confirmation.',
    auth: 'operator',
    parameters: [ofKeysWith],
    errors: [...byConfirmed]
  },
  'GET /api/admin/requests/{id}': {
    operationId: 'getRequestByOperator',
    summary: 'Get a request of any account by its id',
    auth: 'operator'
  },
  'GET /api/admin/usage': {
    operationId: 'exportUsage',
    summary: 'Export the ledger of all accounts',
    description:
      'Needs the role `money` and a confirmation. The answer is a stream of any length, as NDJSON or CSV. With `group=day,model` it has one row for each day and model. Usage may lag by 5 seconds. After a failure, the connection closes before the answer is complete.',
    auth: 'operator',
    errors: [...byConfirmed]
  },
  'GET /api/admin/export-check': {
    operationId: 'checkExport',
    summary: 'Check whether the operator may export now',
    description: 'Before a download, whose failure a browser would save as the file.',
    auth: 'operator',
    errors: [...byConfirmed]
  },
  'GET /api/admin/events': {
    operationId: 'listOperatorEvents',
    summary: 'List what happened in the whole system, newest first',
    description:
      'Failing providers, requests that failed over, accounts with unusual spend. Kept for `EVENTS_KEPT_DAYS`.',
    auth: 'operator'
  },
  'POST /api/admin/events/seen': {
    operationId: 'markOperatorEventsSeen',
    summary: 'Mark an event and all earlier ones as seen',
    description: 'For the caller alone. Safe to repeat; a mark never moves back.',
    auth: 'operator'
  }
}
