import type { Operations } from './operation-text.ts'

export const authOperations: Operations = {
  'POST /api/auth/register': {
    operationId: 'register',
    summary: 'Create a user',
    description:
      'Mails a link to a page that asks for the password. The user can sign in after that. The answer is the same if the address is already registered.',
    auth: 'none',
    isLimited: true,
    errors: [
      'invalid_email',
      'weak_password',
      'registration_closed',
      'address_not_allowed',
      'captcha_failed',
      'identity_unavailable'
    ]
  },
  'GET /api/auth/confirm': {
    operationId: 'openMailedLink',
    summary: 'Open the link in a mail',
    description: 'Redirects to the page that asks for the password, with the token in the fragment. Changes nothing.',
    auth: 'none'
  },
  'POST /api/auth/confirm': {
    operationId: 'confirm',
    summary: 'Confirm an address with its password, and sign in',
    description:
      'Takes the token of the mailed link, or the access token in the fragment of a link of Supabase’s own templates. The password must be the stored one; with `set` it replaces the stored one, and all sessions end. A user with a second factor also needs `code`, and cannot use `set`. After a failure the same link works for ten more minutes. Sets the session cookie.',
    auth: 'none',
    isLimited: true,
    errors: [
      'link_invalid',
      'registration_closed',
      'address_not_allowed',
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
    summary: 'Sign in',
    description:
      'Sets the session cookie, and ends the session that the request was sent with. Also sets a cookie that identifies the browser: attempts from a browser that signed in before are counted separately. A user with a second factor also needs `code`: six digits from their authenticator app. Each code works once, and a user can try ten codes an hour.',
    auth: 'none',
    isLimited: true,
    errors: [
      'invalid_credentials',
      'second_factor_required',
      'invalid_code',
      'second_factor_unavailable',
      'email_not_confirmed',
      'captcha_failed',
      'identity_unavailable'
    ]
  },
  'POST /api/auth/login/code': {
    operationId: 'enterLoginCode',
    summary: 'Enter the code of the second factor after a sign-in with a provider',
    description:
      'Ends a sign-in that `GET /api/auth/callback` began for a user with a second factor, in the same browser and within ten minutes. Sets the session cookie.',
    auth: 'none',
    isLimited: true,
    errors: [
      'not_authenticated',
      'invalid_code',
      'second_factor_unavailable',
      'identity_unavailable',
      'revocation_pending'
    ]
  },
  'GET /api/auth/providers/{provider}': {
    countsAttempts: true,
    operationId: 'startProviderSignIn',
    summary: 'Sign in with a provider such as GitHub',
    description:
      'For browsers: redirects to the page of a provider of `AUTH_PROVIDERS`, and sets a cookie that only this browser can end the sign-in with. `next` is the page of the dashboard to open afterwards.',
    auth: 'none',
    errors: ['not_found']
  },
  'GET /api/auth/callback': {
    countsAttempts: true,
    operationId: 'endProviderSignIn',
    summary: 'Return from a sign-in provider',
    description:
      'Signs the user in and sets the session cookie. Redirects to the dashboard, or to the page that asks for the code of the second factor. After a failure it redirects to the sign-in page with `error`. Works once, in the browser that began the sign-in.',
    auth: 'none'
  },
  'POST /api/auth/signout': {
    operationId: 'signout',
    summary: 'Sign out, here or everywhere',
    description: 'Clears the session cookie. Without a session the call succeeds too.',
    auth: 'none'
  },
  'GET /api/auth/me': { operationId: 'getUser', summary: 'Get the signed-in user', auth: 'session' },
  'PATCH /api/auth/me': {
    operationId: 'changeUser',
    summary: 'Change the user’s name',
    auth: 'session',
    isLimited: true,
    errors: ['identity_unavailable']
  },
  'DELETE /api/auth/me': {
    operationId: 'deleteUser',
    summary: 'Delete the signed-in user',
    description:
      'Needs a sign-in or a confirmation in the last 10 minutes. Revokes all keys of the account, ends its subscriptions and deletes the user. Usage stays in the ledger, without a name.',
    auth: 'session',
    isLimited: true,
    errors: [
      'confirmation_required',
      'team_has_members',
      'identity_unavailable',
      'payments_unavailable',
      'revocation_pending'
    ]
  },
  'GET /api/auth/sessions': {
    operationId: 'listSessions',
    summary: 'List the user’s sessions',
    description:
      'The current session comes first, then the most recently used ones: 100 at most. Each has a general description of its browser, and no client address.',
    auth: 'session'
  },
  'DELETE /api/auth/sessions/{id}': {
    operationId: 'endSession',
    summary: 'Sign out one session',
    description:
      'Only for sessions of the user. After success the session no longer works. Ending the current session clears its cookie.',
    auth: 'session',
    errors: ['not_found']
  },
  'POST /api/auth/forgot-password': {
    countsAttempts: true,
    operationId: 'forgotPassword',
    summary: 'Request a mail with a link to set a new password',
    description:
      'Always gives the same answer at once, so that it does not reveal whether the address is known. If forms show a CAPTCHA, it comes after a second.',
    auth: 'none',
    errors: ['captcha_failed']
  },
  'POST /api/auth/resend-confirmation': {
    operationId: 'resendConfirmation',
    summary: 'Request another confirmation mail',
    description:
      'The answer is the same for every address. If the link was used up without a password, the mail has a link to set a new password.',
    auth: 'none',
    isLimited: true,
    errors: ['captcha_failed']
  },
  'POST /api/auth/reset-password': {
    operationId: 'resetPassword',
    summary: 'Set a new password with the token of a mailed link',
    description:
      'Ends all sessions of the user and revokes their management keys. With `revoke_keys` it revokes their inference keys too; that is the default if the address was not confirmed before. The user’s keys are all keys of their own account and, in a team, the keys that they created. A second factor stays on. With `sign_in`, the call also signs the user in and answers with `user`, unless a second factor is on.',
    auth: 'none',
    isLimited: true,
    errors: [
      'weak_password',
      'link_invalid',
      'registration_closed',
      'address_not_allowed',
      'identity_unavailable',
      'revocation_pending'
    ]
  },
  'POST /api/auth/change-password': {
    operationId: 'changePassword',
    summary: 'Change the password',
    description: 'Takes the current password. Ends all other sessions of the user.',
    auth: 'session',
    isLimited: true,
    errors: ['wrong_password', 'weak_password', 'email_not_confirmed', 'identity_unavailable']
  },
  'POST /api/auth/reauthenticate': {
    operationId: 'reauthenticate',
    summary: 'Confirm with the password that the caller is the user',
    description:
      'Takes the password, and the code of a second factor or a recovery code. For 10 minutes after it, and after each sign-in, the session may do what needs a confirmation: delete the user, create management keys, and change money as an operator. Users who have no password send only a code; without a second factor, they sign in again.',
    auth: 'session',
    isLimited: true,
    errors: [
      'wrong_password',
      'second_factor_required',
      'invalid_code',
      'second_factor_unavailable',
      'confirmation_required',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'GET /api/auth/second-factor': {
    operationId: 'getSecondFactor',
    summary: 'Get whether the second factor is on, and how many recovery codes are left',
    auth: 'session',
    isLimited: true,
    errors: ['identity_unavailable']
  },
  'POST /api/auth/second-factor': {
    operationId: 'startSecondFactor',
    summary: 'Create a second factor',
    description:
      'Takes the password and returns a TOTP secret for an authenticator app. Sign-ins ask for its codes after `POST /api/auth/second-factor/confirm` has turned it on. A new secret replaces an unconfirmed one.',
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
    summary: 'Turn the second factor on',
    description:
      'Takes the password and a code from the new secret. Ends all other sessions of the user. Returns ten recovery codes; nobody can read them later.',
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
  'POST /api/auth/second-factor/recovery-codes': {
    operationId: 'makeRecoveryCodes',
    summary: 'Make new recovery codes',
    description:
      'Takes the password and a code, or a recovery code. Returns ten recovery codes, which replace the old ones. Each replaces a code of the app once, wherever one is asked for.',
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
  'DELETE /api/auth/second-factor': {
    operationId: 'removeSecondFactor',
    summary: 'Turn the second factor off',
    description:
      'Takes the password and a code, or a recovery code. A session that began with a recovery code needs no code in its first hour. Ends all other sessions of the user.',
    auth: 'session',
    isLimited: true,
    errors: [
      'wrong_password',
      'second_factor_required',
      'invalid_code',
      'no_second_factor',
      'second_factor_unavailable',
      'email_not_confirmed',
      'identity_unavailable'
    ]
  },
  'POST /api/auth/webhook': {
    operationId: 'takeInUserChange',
    summary: 'Receive a change of a user from the identity provider',
    description:
      'For Supabase’s database webhook on `auth.users`. Succeeds when the change is in force, also for users who never signed in here. Uses only the id from the body, and reads the user from the provider. Answers 404 unless control has `IDENTITY_WEBHOOK_SECRET`.',
    auth: 'webhookSecret',
    errors: ['not_found', 'identity_unavailable', 'too_many_requests', 'change_pending']
  }
}
