/** Folders that are part of a cycle today. Remove a line when its folder is out of all cycles; add none. */
export const known = [
  'packages/sandbox/src/identity/accounts',
  'packages/sandbox/src/identity/endpoints',
  'packages/sandbox/src/identity/http',
  'packages/sandbox/src/identity/store',
  'packages/sandbox/src/identity/tokens',
  'packages/sandbox/src/payments/billing',
  'packages/sandbox/src/payments/endpoints',
  'packages/sandbox/src/payments/events',
  'packages/sandbox/src/payments/http',
  'packages/sandbox/src/payments/objects',
  'packages/sandbox/src/payments/pages',
  'services/gateway/src/authenticate'
]
