import type { Operations } from './operation-text.ts'

export const billingOperations: Operations = {
  'GET /api/billing/plans': {
    operationId: 'listPlans',
    summary: 'List the plans, with the prices of those on sale',
    auth: 'none'
  },
  'GET /api/billing/plan': {
    operationId: 'getPlan',
    summary: 'Get the current plan, and when it renews or ends',
    auth: 'session'
  },
  'POST /api/billing/checkout': {
    operationId: 'openCheckout',
    summary: 'Get the address of a checkout page for a price',
    description:
      'A repeated call for the same price returns the same page; a call for another price closes the earlier page. After the payment the user returns to `/dashboard/billing?success=1`; the plan is in force within seconds. A page of your own calls `POST /api/billing/refresh` then. Only for the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'unknown_price', 'account_suspended', 'already_subscribed', 'payments_unavailable']
  },
  'POST /api/billing/refresh': {
    operationId: 'refreshPlan',
    summary: 'Read the plan again from the payment provider, after a payment or a switch',
    description:
      'Answers at once. Control reads the provider within seconds, at most every 5 seconds for an account, so the plan is in force although the provider’s event is late or lost. Only for the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden']
  },
  'GET /api/billing/portal': {
    operationId: 'openPortal',
    summary: 'Get the address of the billing portal, to switch or cancel the plan and change cards',
    description:
      'The address works for a short time, for everybody who knows it. With price_id, it opens on the confirmation of the switch to that price. Only for the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'unknown_price', 'no_customer', 'payments_unavailable']
  },
  'GET /api/billing/invoices': {
    operationId: 'listInvoices',
    summary: 'List the invoices of the account, newest first',
    description: 'Only for the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'payments_unavailable']
  },
  'GET /api/billing/next-charge': {
    operationId: 'getNextCharge',
    summary: 'Get what the account will pay next, and when',
    description:
      'The payment provider computes it, with discounts and credit. Control keeps an answer for up to ten minutes. Only for the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'payments_unavailable']
  },
  'POST /api/billing/webhook': {
    operationId: 'takeInEvent',
    summary: 'Receive a signed event from the payment provider',
    description:
      'Succeeds when all consequences are stored, also for repeated or unrelated events. Control derives the plan from the provider’s current state, never from the event.',
    auth: 'signature',
    errors: ['invalid_signature', 'payments_unavailable']
  }
}
