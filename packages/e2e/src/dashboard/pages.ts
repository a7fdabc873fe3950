/** Every page of the dashboard, by its title. */
export const publicPages = [
  ['Sign in', '/login'],
  ['Create an account', '/register'],
  ['Forgot your password?', '/forgot-password'],
  ['This link does not work', '/confirm'],
  ['Confirm your address', '/confirm#token_hash=0&type=email'],
  ['This link does not work', '/reset-password'],
  ['Choose a new password', '/reset-password#token_hash=0'],
  ['You have been invited to a team', '/invitations/0'],
  ['There is no such page', '/dashboard/nowhere']
] as const

/** Those of somebody who is signed in, and how many parts of each are read by themselves. */
export const ownPages = [
  ['Overview', '/dashboard', 5],
  ['Keys', '/dashboard/keys', 1],
  ['Playground', '/dashboard/playground', 0],
  ['Usage', '/dashboard/usage', 1],
  ['Billing', '/dashboard/billing', 3],
  ['Team', '/dashboard/team', 1],
  ['Audit log', '/dashboard/audit', 1],
  ['Account', '/dashboard/account', 2]
] as const
