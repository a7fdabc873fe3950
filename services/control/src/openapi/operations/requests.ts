import type { Operations } from './operation-text.ts'

export const requestOperations: Operations = {
  'GET /api/requests': {
    operationId: 'listRequests',
    summary: 'Search the account’s requests, newest first',
    description:
      'All conditions must hold. `metadata.<name>=<value>` finds the requests of keys that have this pair now. A search for rare requests may take several pages: a page can have fewer requests than `limit`, or none. Go on while `next_cursor` is not null. The log shows a request some seconds after its end, and keeps it for as long as the operator has set. Refusals are sampled: `count` says for how many equal ones an entry stands.',
    auth: 'account'
  },
  'GET /api/requests/export': {
    operationId: 'exportRequests',
    summary: 'Export the account’s requests',
    description:
      'The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
    auth: 'account',
    isLimited: true
  },
  'GET /api/requests/{id}': {
    operationId: 'getRequest',
    summary: 'Get a request with the prices that gave its cost',
    description: '`id` is the `x-request-id` that the client got.',
    auth: 'account',
    errors: ['not_found']
  }
}
