import type { Operations } from './operation-text.ts'

export const playgroundOperations: Operations = {
  'POST /api/playground/token': {
    operationId: 'createPlaygroundToken',
    summary: 'Get a token for the playground',
    description:
      'Gateways accept the token like an API key for 15 minutes, with the models, caps and rate limits of the account. It ends with the session. It is no key: it does not count towards the quota, and is not listed. Only this answer contains it. The session’s token before it works until its own end; tokens of the same person’s other sessions stop.',
    auth: 'session',
    isLimited: true,
    errors: ['account_suspended', 'state_unavailable']
  }
}
