import type { Operations } from './operation-text.ts'

export const eventOperations: Operations = {
  'GET /api/events': {
    operationId: 'listEvents',
    summary: 'List what happened in the account, newest first',
    description:
      'The types and their `data` are those of webhooks. Somebody with a seat does not see failed payments and disabled webhook endpoints.',
    auth: 'session'
  },
  'POST /api/events/seen': {
    operationId: 'markEventsSeen',
    summary: 'Mark an event and all earlier ones as seen',
    description: 'For the caller alone. Safe to repeat; a mark never moves back.',
    auth: 'session',
    errors: ['not_found']
  }
}
