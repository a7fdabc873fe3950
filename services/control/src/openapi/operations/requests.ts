import { metadataFilter, type Operations } from './operation-text.ts'

/** Of the requests of all accounts, too. */
export const ofKeysWith = metadataFilter(
  '`metadata.<name>=<value>` finds the requests of keys that have this pair now. It can be given several times.'
)

export const requestOperations: Operations = {
  'GET /api/requests': {
    operationId: 'listRequests',
    summary: 'Search the account’s requests, newest first',
    description:
      'All conditions must hold. A search for rare requests may take several pages: a page can have fewer requests than `limit`, or none. Go on while `next_cursor` is not null. The log shows a request some seconds after its end, and keeps it for as long as the operator has set. Refusals are sampled: `count` says for how many equal ones an entry stands.',
    auth: 'account',
    parameters: [ofKeysWith]
  },
  'GET /api/requests/export': {
    operationId: 'exportRequests',
    summary: 'Export the account’s requests',
    description:
      'The answer is a stream of any length, as NDJSON or CSV, newest first. After a failure, the connection closes before the answer is complete.',
    auth: 'account',
    isLimited: true,
    parameters: [ofKeysWith]
  },
  'GET /api/requests/{id}': {
    operationId: 'getRequest',
    summary: 'Get a request with the prices that gave its cost',
    description: '`id` is the `x-request-id` that the client got.',
    auth: 'account',
    errors: ['not_found']
  }
}
