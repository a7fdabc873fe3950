import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'

/** What a document says of an operation beyond what its route's schemas say. */
export type OperationText = {
  readonly operationId: string
  readonly tag: keyof typeof tags
  readonly summary: string
  readonly description?: string
  /** `session`: the cookie. `account`: the cookie or a management key. `signature`: the payment provider's. `webhookSecret`: the identity provider's. */
  readonly auth: 'none' | 'session' | 'account' | 'signature' | 'webhookSecret'
  /** Whether callers are limited in how often they may ask. */
  readonly isLimited?: true
  /** Failures of this operation's own: those that follow from its form, such as bad JSON, are added. */
  readonly errors?: readonly ErrorCode[]
}

export const tags = {
  Auth: 'Registration, signing in and out, passwords. Sub-products learn here who is signed in.',
  Account: 'What an owner decides for the account.',
  Keys: 'API keys for the inference gateway. A partner’s server calls these with a management key.',
  Team: 'Seats in an account, and invitations to them.',
  Billing: 'What the account pays, and where. The payment provider has its cards and invoices.',
  Usage: 'What was used and what it cost.',
  Audit: 'Who changed what, when and from where.',
  Service: 'About the service itself.'
} as const

/** Every operation of the API, by method and path. */
export const operations: Readonly<Record<string, OperationText>> = {
  'POST /api/auth/register': {
    operationId: 'register',
    tag: 'Auth',
    summary: 'Create a user',
    description:
      'A mail with a link leads to a page that asks for the password; until then nobody can sign in. An address that is registered already gets the same answer.',
    auth: 'none',
    isLimited: true,
    errors: ['invalid_email', 'weak_password', 'registration_closed', 'identity_unavailable']
  },
  'GET /api/auth/confirm': {
    operationId: 'openMailedLink',
    tag: 'Auth',
    summary: 'Open the link of a mail',
    description: 'Redirects to the page that asks for the password, with the token in the fragment. Changes nothing.',
    auth: 'none'
  },
  'POST /api/auth/confirm': {
    operationId: 'confirm',
    tag: 'Auth',
    summary: 'Confirm an address with its password, and sign in',
    description:
      'Takes the token of the mailed link, or the access token in the fragment of a link of Supabase’s own templates. The password has to be the stored one; with `set` it replaces the stored one, and all sessions end. A user with a second factor also needs `code`, and cannot use `set`. After a failure the same link works for ten more minutes. Sets the session cookie.',
    auth: 'none',
    isLimited: true,
    errors: [
      'link_invalid',
      'password_mismatch',
      'weak_password',
      'second_factor_required',
      'invalid_code',
      'second_factor_unavailable',
      'identity_unavailable',
      'revocation_pending'
    ]
  },
  'POST /api/auth/login': {
    operationId: 'login',
    tag: 'Auth',
    summary: 'Sign in',
    description:
      'Sets the session cookie. A session that the request came with is closed. Also sets a cookie that names the browser: attempts of a browser that signed in before are counted apart from those of others. A user with a second factor also needs `code`: six digits of their authenticator app, each used once. Ten codes an hour are checked for a user.',
    auth: 'none',
    isLimited: true,
    errors: [
      'invalid_credentials',
      'second_factor_required',
      'invalid_code',
      'second_factor_unavailable',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'POST /api/auth/signout': {
    operationId: 'signout',
    tag: 'Auth',
    summary: 'Sign out, here or everywhere',
    description: 'Clears the session cookie. Without a session there is nothing to do, which is success.',
    auth: 'none'
  },
  'GET /api/auth/me': { operationId: 'getUser', tag: 'Auth', summary: 'Who is signed in', auth: 'session' },
  'PATCH /api/auth/me': {
    operationId: 'changeUser',
    tag: 'Auth',
    summary: 'Change one’s name',
    auth: 'session',
    isLimited: true,
    errors: ['identity_unavailable']
  },
  'DELETE /api/auth/me': {
    operationId: 'deleteUser',
    tag: 'Auth',
    summary: 'Delete oneself',
    description:
      'Revokes all keys of the account, ends what it pays for and deletes the user. What was used stays in the ledger, without a name.',
    auth: 'session',
    isLimited: true,
    errors: ['team_has_members', 'identity_unavailable', 'payments_unavailable', 'revocation_pending']
  },
  'GET /api/auth/sessions': {
    operationId: 'listSessions',
    tag: 'Auth',
    summary: 'Where one is signed in',
    description:
      'The sessions of the user, the current one first, then those used last: 100 at most. A session has the browser that signed in, in general words, and no client address.',
    auth: 'session'
  },
  'DELETE /api/auth/sessions/{id}': {
    operationId: 'endSession',
    tag: 'Auth',
    summary: 'Sign out one session',
    description:
      'Only sessions of the user. Success means that the session opens nothing any more. Ending the current session clears its cookie.',
    auth: 'session',
    errors: ['not_found']
  },
  'POST /api/auth/forgot-password': {
    operationId: 'forgotPassword',
    tag: 'Auth',
    summary: 'Have a mail sent with a link to a new password',
    description: 'Always answers the same, at once: nothing tells whether the address is known.',
    auth: 'none'
  },
  'POST /api/auth/resend-confirmation': {
    operationId: 'resendConfirmation',
    tag: 'Auth',
    summary: 'Have the confirmation mail sent again',
    description:
      'Answers the same for every address. If the link was used up without a password, the mail has a link to a new password.',
    auth: 'none',
    isLimited: true
  },
  'POST /api/auth/reset-password': {
    operationId: 'resetPassword',
    tag: 'Auth',
    summary: 'Set a new password with what the link of a mail led to',
    description:
      'Ends all sessions of the user and revokes their management keys. With `revoke_keys` their inference keys are revoked too; that is the default if the address was not confirmed before. These are the keys of the user’s own account, and in a team those that the user created. Nobody is signed in by it, and a second factor stays on.',
    auth: 'none',
    isLimited: true,
    errors: ['weak_password', 'link_invalid', 'identity_unavailable', 'revocation_pending']
  },
  'POST /api/auth/change-password': {
    operationId: 'changePassword',
    tag: 'Auth',
    summary: 'Set a new password, knowing the present one',
    description: 'Ends all other sessions of the user.',
    auth: 'session',
    isLimited: true,
    errors: ['wrong_password', 'weak_password', 'email_not_confirmed', 'identity_unavailable']
  },
  'GET /api/auth/second-factor': {
    operationId: 'getSecondFactor',
    tag: 'Auth',
    summary: 'Whether the second factor is on',
    auth: 'session',
    isLimited: true,
    errors: ['identity_unavailable']
  },
  'POST /api/auth/second-factor': {
    operationId: 'startSecondFactor',
    tag: 'Auth',
    summary: 'Make a second factor',
    description:
      'Takes the password and answers with a TOTP secret for an authenticator app. Sign-ins ask for its codes only once `POST /api/auth/second-factor/confirm` has turned it on. A secret that was not confirmed is replaced.',
    auth: 'session',
    isLimited: true,
    errors: [
      'wrong_password',
      'second_factor_enabled',
      'second_factor_unavailable',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'POST /api/auth/second-factor/confirm': {
    operationId: 'confirmSecondFactor',
    tag: 'Auth',
    summary: 'Turn the second factor on',
    description: 'Takes the password and a code of the new secret. Ends all other sessions of the user.',
    auth: 'session',
    isLimited: true,
    errors: [
      'wrong_password',
      'invalid_code',
      'no_second_factor',
      'second_factor_enabled',
      'second_factor_unavailable',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'DELETE /api/auth/second-factor': {
    operationId: 'removeSecondFactor',
    tag: 'Auth',
    summary: 'Turn the second factor off',
    description: 'Takes the password and a code. Ends all other sessions of the user.',
    auth: 'session',
    isLimited: true,
    errors: [
      'wrong_password',
      'invalid_code',
      'no_second_factor',
      'second_factor_unavailable',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'GET /api/account': {
    operationId: 'getAccount',
    tag: 'Account',
    summary: 'The account that the caller acts for',
    auth: 'session'
  },
  'PATCH /api/account': {
    operationId: 'changeAccount',
    tag: 'Account',
    summary: 'Set one’s own monthly cap below the plan’s',
    description:
      'Success says that no request is admitted under the earlier cap any more. May be repeated. Counted together with changes of keys.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'change_pending']
  },
  'GET /api/team': { operationId: 'getTeam', tag: 'Team', summary: 'Seats and invitations', auth: 'session' },
  'POST /api/team/seats': {
    operationId: 'inviteSeat',
    tag: 'Team',
    summary: 'Invite somebody to a seat',
    description: 'The answer is the only one that ever has the link; it is mailed too where that is possible.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'seat_limit_reached', 'already_member']
  },
  'POST /api/team/invitations/{token}/accept': {
    operationId: 'acceptInvitation',
    tag: 'Team',
    summary: 'Take the seat of an invitation',
    description:
      'Keys of one’s personal account are suspended until the seat is given up. Success says that they are refused. After `change_pending` the call may be repeated for 24 hours.',
    auth: 'session',
    isLimited: true,
    errors: [
      'invitation_invalid',
      'forbidden',
      'account_suspended',
      'already_in_team',
      'already_member',
      'team_has_members',
      'seat_limit_reached',
      'subscription_active',
      'change_pending'
    ]
  },
  'DELETE /api/team/seats/{id}': {
    operationId: 'removeSeat',
    tag: 'Team',
    summary: 'Remove a seat, give up one’s own, or withdraw an invitation',
    description:
      'Success says that the change is in force: gateways accept the keys of the leaver’s personal account again. After `change_pending` the call may be repeated for 24 hours.',
    auth: 'session',
    errors: ['forbidden', 'not_found', 'change_pending']
  },
  'GET /api/keys': {
    operationId: 'listKeys',
    tag: 'Keys',
    summary: 'List the keys of the account, newest first',
    description: '`metadata.<name>=<value>`, as often as needed, leaves the keys that have these pairs.',
    auth: 'account'
  },
  'POST /api/keys': {
    operationId: 'createKey',
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'The answer is the only one that ever has the secret. A request that is repeated with the same `Idempotency-Key` within 24 hours creates no second key, and is told the id of the first.',
    auth: 'account',
    isLimited: true,
    errors: ['key_quota_exceeded', 'forbidden', 'already_created']
  },
  'GET /api/keys/{id}': {
    operationId: 'getKey',
    tag: 'Keys',
    summary: 'One key, and whether its last change is in force',
    description:
      '`in_force` is true once no request is admitted on an earlier state of the key any more. It is false while Redis cannot be asked. Revoked keys are shown too.',
    auth: 'account',
    errors: ['not_found']
  },
  'PATCH /api/keys/{id}': {
    operationId: 'changeKey',
    tag: 'Keys',
    summary: 'Change a key’s label, limits or metadata',
    description:
      'Success says that no request is admitted on the earlier limits any more; a change of label and metadata alone does not wait for that. `change_pending` says that the change is saved and follows by itself. May be repeated. Creations, rotations and changes of keys are counted together, for the whole account.',
    auth: 'account',
    isLimited: true,
    errors: ['not_found', 'forbidden', 'key_quota_exceeded', 'change_pending']
  },
  'POST /api/keys/{id}/rotate': {
    operationId: 'rotateKey',
    tag: 'Keys',
    summary: 'Give a key another secret',
    description:
      'The answer is the only one that ever has it. With 200 the old one is refused from now on, or after the grace that is asked for. With 202 `in_force` is false: the old one may still work and the new one may not work yet. That follows by itself, and `GET /api/keys/{id}` tells when. `Idempotency-Key` works as for a new key.',
    auth: 'account',
    isLimited: true,
    errors: ['not_found', 'forbidden', 'already_created']
  },
  'DELETE /api/keys/{id}': {
    operationId: 'revokeKey',
    tag: 'Keys',
    summary: 'Revoke a key',
    description: 'Success says that no request is admitted with the key any more. May be repeated. Not limited.',
    auth: 'account',
    errors: ['not_found', 'forbidden', 'revocation_pending']
  },
  'GET /api/billing/plans': {
    operationId: 'listPlans',
    tag: 'Billing',
    summary: 'The plans that there are, with the prices of those that can be bought',
    auth: 'none'
  },
  'GET /api/billing/plan': {
    operationId: 'getPlan',
    tag: 'Billing',
    summary: 'The plan in force, and when it renews or ends',
    auth: 'session'
  },
  'POST /api/billing/checkout': {
    operationId: 'openCheckout',
    tag: 'Billing',
    summary: 'The address of a page on which one of the prices can be bought',
    description:
      'Asked again, for the same price it is the same page, and for another one the page from before is closed. After paying, people come back to `/dashboard/billing?success=1`; the plan is in force within seconds. For the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'unknown_price', 'account_suspended', 'already_subscribed', 'payments_unavailable']
  },
  'GET /api/billing/portal': {
    operationId: 'openPortal',
    tag: 'Billing',
    summary: 'The address of a page on which the plan is switched or cancelled, and cards are changed',
    description: 'It works for a short time, for whoever has it. For the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'no_customer', 'payments_unavailable']
  },
  'GET /api/billing/invoices': {
    operationId: 'listInvoices',
    tag: 'Billing',
    summary: 'The invoices of the account, newest first',
    description: 'For the owner of the account.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'payments_unavailable']
  },
  'POST /api/auth/webhook': {
    operationId: 'takeInUserChange',
    tag: 'Auth',
    summary: 'Changes of users, reported by the identity provider',
    description:
      'For Supabase’s database webhook on `auth.users`. Answered with success once the change is in force, also for users who never signed in here. Only the id is taken from the body; the user is read from the provider. 404 unless control has `IDENTITY_WEBHOOK_SECRET`.',
    auth: 'webhookSecret',
    errors: ['not_found', 'identity_unavailable', 'too_many_requests', 'change_pending']
  },
  'POST /api/billing/webhook': {
    operationId: 'takeInEvent',
    tag: 'Billing',
    summary: 'Events of the payment provider, signed by it',
    description:
      'Answered with success once everything that follows is stored, also for events that are repeated or about something else. The plan follows from what the provider says when it is asked, never from the event.',
    auth: 'signature',
    errors: ['invalid_signature', 'payments_unavailable']
  },
  'GET /api/usage': {
    operationId: 'getUsage',
    tag: 'Usage',
    summary: 'Usage by hour, day or month',
    description: 'At most five seconds behind, while Redis is there. A request counts for the hour in which it began.',
    auth: 'account'
  },
  'GET /api/usage/summary': {
    operationId: 'getUsageSummary',
    tag: 'Usage',
    summary: 'This month: spent, reserved, cap',
    description:
      'What is reserved is known to Redis only: without it, nothing is said to be, and what is spent is as in the usage reports.',
    auth: 'account'
  },
  'GET /api/audit': {
    operationId: 'listAudit',
    tag: 'Audit',
    summary: 'The audit log of the account, newest first',
    description: 'For the owner of the account. Rows are kept for 400 days.',
    auth: 'session',
    errors: ['forbidden']
  },
  'GET /api/openapi.json': {
    operationId: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    auth: 'none'
  },
  'GET /livez': { operationId: 'livez', tag: 'Service', summary: 'Whether the process runs', auth: 'none' },
  'GET /readyz': {
    operationId: 'readyz',
    tag: 'Service',
    summary: 'Whether it can serve: database and Redis answer',
    auth: 'none',
    errors: ['state_unavailable']
  }
}
