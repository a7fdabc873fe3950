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
  },
  'GET /api/account/export': {
    operationId: 'exportOwnData',
    summary: 'Download everything that is stored about you',
    description:
      'One JSON document of any length: you, your own account with its keys, usage, invoices and log, and your seat in a team. Secrets are not stored, so they are not in it. An answer that ends early is not valid JSON.',
    auth: 'session',
    isLimited: true
  }
}
