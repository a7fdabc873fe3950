import type { Operations } from './operation-text.ts'

export const accountOperations: Operations = {
  'GET /api/account': {
    operationId: 'getAccount',
    summary: 'Get the account that the caller acts for',
    auth: 'session'
  },
  'PATCH /api/account': {
    operationId: 'changeAccount',
    summary: 'Set a monthly cap below the plan’s',
    description:
      'After success, all gateways enforce the new cap. Safe to repeat. Shares its hourly rate limit with changes of keys.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'change_pending']
  }
}
