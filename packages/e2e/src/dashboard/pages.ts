/** The operators' pages: title, and the name of the link in the menu. */
export const operatorPages = [
  'Accounts',
  'Leaked key',
  'System',
  'Money',
  'Catalog',
  'Operators’ notices',
  'Operators’ webhooks',
  'Operators’ log'
] as const

/** Pages that need no session: title and address. */
export const publicPages = [
  ['Sign in', '/login'],
  ['Create an account', '/register'],
  ['Forgot your password?', '/forgot-password'],
  ['Open the link in your e-mail again', '/confirm'],
  ['Confirm your e-mail address', '/confirm#token_hash=0&type=email'],
  ['Open the link in your e-mail again', '/reset-password'],
  ['Choose a new password', '/reset-password#token_hash=0'],
  ['Your account is deleted', '/goodbye'],
  ['This invitation no longer works', '/invitations/0'],
  ['Page not found', '/dashboard/nowhere'],
  ['Page not found', '/nowhere']
] as const

/** Pages for a signed-in user: title, address, and the number of parts that load separately. */
export const ownPages = [
  ['Overview', '/dashboard', 5],
  ['Keys', '/dashboard/keys', 1],
  ['Playground', '/dashboard/playground', 0],
  ['Models', '/dashboard/models', 1],
  ['Limits', '/dashboard/limits', 2],
  ['Usage', '/dashboard/usage', 1],
  ['Requests', '/dashboard/requests', 1],
  ['Billing', '/dashboard/billing', 4],
  ['Team', '/dashboard/team', 1],
  ['Notices', '/dashboard/notices', 1],
  ['Webhooks', '/dashboard/webhooks', 1],
  ['Audit log', '/dashboard/audit', 1],
  ['Account', '/dashboard/account', 3]
] as const
