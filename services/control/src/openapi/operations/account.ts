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
    errors: ['forbidden', 'budget_changed', 'change_pending']
  },
  'GET /api/account/notifications': {
    operationId: 'getNotifications',
    summary: 'Get the mails that the caller gets, and the account’s thresholds',
    auth: 'session'
  },
  'PATCH /api/account/notifications': {
    operationId: 'changeNotifications',
    summary: 'Choose mails, and thresholds of budgets',
    description:
      'Members that are left out stay. Mails of kind `account` cannot be switched off. Only the owner of the account may change the thresholds; `null` restores the default ones, and an empty list switches them off.',
    auth: 'session',
    errors: ['forbidden']
  },
  'GET /api/account/setup': {
    operationId: 'getSetup',
    summary: 'Get the first steps of an account, and which are done',
    auth: 'session'
  },
  'POST /api/account/setup/dismiss': {
    operationId: 'dismissSetup',
    summary: 'Hide the list of first steps for everybody in the account',
    auth: 'session',
    errors: ['forbidden']
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
