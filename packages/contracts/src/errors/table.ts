/**
 * Every error of both services: code → HTTP status, type and public message.
 * A code is part of the public contract: it is never renamed, and never reused with another meaning.
 */
export const errorTable = {
  // The request itself
  invalid_json: [400, 'invalid_request_error', 'The request body is not valid JSON.'],
  invalid_request: [400, 'invalid_request_error', 'The request is not valid.'],
  unpriced_parameter: [400, 'invalid_request_error', 'The request asks for something that has no price here.'],
  exceeds_rate_limit: [
    400,
    'invalid_request_error',
    'The request may use more tokens than the plan allows in a minute: waiting would not help.'
  ],
  invalid_email: [400, 'invalid_request_error', 'The e-mail address is not valid.'],
  weak_password: [400, 'invalid_request_error', 'The password is too weak.'],
  unknown_price: [400, 'invalid_request_error', 'There is no such price on sale.'],
  invalid_signature: [400, 'invalid_request_error', 'The signature of the event is missing, wrong or too old.'],
  link_invalid: [400, 'invalid_request_error', 'The link does not work: it has been used already or has expired.'],
  not_found: [404, 'invalid_request_error', 'There is nothing here by that name.'],
  invitation_invalid: [404, 'invalid_request_error', 'The invitation has been used, was withdrawn or has expired.'],
  unknown_endpoint: [404, 'invalid_request_error', 'There is no such endpoint.'],
  method_not_allowed: [
    405,
    'invalid_request_error',
    'The endpoint does not take this method. The Allow header lists those that it takes.'
  ],
  already_created: [409, 'invalid_request_error', 'An earlier request with this Idempotency-Key made the key.'],
  already_member: [409, 'invalid_request_error', 'They are in this team already.'],
  already_in_team: [409, 'invalid_request_error', 'Leave the team that you are in first.'],
  subscription_active: [409, 'invalid_request_error', 'Cancel your own subscription first.'],
  already_subscribed: [
    409,
    'invalid_request_error',
    'The account has a subscription already: change it on the page for customers.'
  ],
  no_customer: [409, 'invalid_request_error', 'The account has never bought anything.'],
  password_mismatch: [
    409,
    'invalid_request_error',
    'This address was registered with another password. Enter that one, or send "set": true to replace it with this one.'
  ],
  request_timeout: [
    408,
    'invalid_request_error',
    'The request body came too slowly for its size. Send it faster, or send a smaller one.'
  ],
  request_too_large: [413, 'invalid_request_error', 'The request body is too large.'],
  unsupported_media_type: [415, 'invalid_request_error', 'The request body must be JSON, sent as application/json.'],

  second_factor_enabled: [
    409,
    'invalid_request_error',
    'The second factor is on already. Turn it off first to set up another one.'
  ],
  no_second_factor: [
    409,
    'invalid_request_error',
    'There is no second factor to confirm or to turn off. Set one up first.'
  ],

  // Who is asking
  not_authenticated: [401, 'authentication_error', 'Sign in first: there is no valid session.'],
  invalid_credentials: [401, 'authentication_error', 'The e-mail address or the password is wrong.'],
  second_factor_required: [
    401,
    'authentication_error',
    'This account has a second factor. Send "code" too: the six digits that the authenticator app shows.'
  ],
  invalid_code: [
    401,
    'authentication_error',
    'The code is wrong, too old or already used. Send the code that the authenticator app shows now.'
  ],
  invalid_webhook_secret: [401, 'authentication_error', 'The secret of the webhook is missing or wrong.'],
  missing_api_key: [401, 'authentication_error', 'Send an API key: Authorization: Bearer <API_KEY>.'],
  invalid_api_key: [401, 'authentication_error', 'The API key is not valid.'],
  revoked_api_key: [401, 'authentication_error', 'The API key has been revoked.'],
  expired_api_key: [401, 'authentication_error', 'The API key has expired.'],

  // What it may cost
  request_budget_exceeded: [402, 'budget_error', 'The request may cost more than a single request may.'],
  monthly_budget_exceeded: [402, 'budget_error', "The account's budget for this month does not allow the request."],
  key_budget_exceeded: [402, 'budget_error', "The key's budget for this month does not allow the request."],

  // What they may do
  email_not_confirmed: [
    403,
    'permission_error',
    'Confirm your e-mail address first, with the link that was mailed to it.'
  ],
  wrong_password: [403, 'permission_error', 'The current password is wrong.'],
  second_factor_unavailable: [
    403,
    'permission_error',
    'The identity provider does not offer second factors. Ask the operator to turn TOTP on there.'
  ],
  registration_closed: [403, 'permission_error', 'New registrations are not accepted.'],
  forbidden: [403, 'permission_error', 'Only the owner of the account may do this.'],
  account_suspended: [403, 'permission_error', 'The account is suspended.'],
  csrf_rejected: [403, 'permission_error', 'Requests from this origin are not accepted.'],
  key_quota_exceeded: [403, 'permission_error', 'The plan allows no further API keys.'],
  seat_limit_reached: [403, 'permission_error', 'The plan allows no further seats.'],
  model_not_allowed: [403, 'permission_error', 'The model does not exist or the plan does not include it.'],

  // What is in the way
  team_has_members: [409, 'invalid_request_error', 'Remove the other members of your team first.'],

  // How often
  too_many_requests: [429, 'rate_limit_error', 'Too many requests. Try again later.'],
  requests_per_minute: [
    429,
    'rate_limit_error',
    'Too many requests for the rate of the plan or key. Retry after the time in Retry-After.'
  ],
  tokens_per_minute: [
    429,
    'rate_limit_error',
    'Too many tokens for the rate of the plan. Retry after the time in Retry-After.'
  ],
  concurrent_requests: [429, 'rate_limit_error', 'Too many requests at once. Try again later.'],
  concurrent_request_bytes: [
    429,
    'rate_limit_error',
    'The requests of this key that are under way are too large together. Retry when one of them has ended.'
  ],

  // Upstreams
  upstream_unreachable: [502, 'upstream_error', 'The upstream provider could not be reached.'],
  upstream_error: [502, 'upstream_error', 'The upstream provider failed.'],
  upstream_rejected_credentials: [
    502,
    'upstream_error',
    "The upstream provider did not accept the gateway's credentials."
  ],
  upstream_quota_exhausted: [
    502,
    'upstream_error',
    "The gateway's account at the upstream provider has no credit left. Its operator must add credit or raise the spending limit there."
  ],
  upstream_rate_limited: [503, 'upstream_error', 'The upstream provider is rate limiting. Try again later.'],
  upstream_timeout: [504, 'upstream_error', 'The upstream provider did not answer in time.'],

  // Ourselves and what we depend on
  internal_error: [500, 'gateway_error', 'Something went wrong on our side.'],
  state_unavailable: [
    503,
    'gateway_error',
    'The state of keys and accounts is not available right now. Try again in a moment.'
  ],
  identity_unavailable: [
    503,
    'gateway_error',
    'The identity provider is not available right now. Try again in a moment.'
  ],
  payments_unavailable: [
    503,
    'gateway_error',
    'The payment provider is not available right now. Try again in a moment.'
  ],
  gateway_busy: [
    503,
    'gateway_error',
    'The gateway cannot take another request body right now. Retry after the time in Retry-After.'
  ],
  database_unavailable: [503, 'gateway_error', 'The database is not available right now. Try again in a moment.'],
  change_pending: [
    503,
    'gateway_error',
    'The change is saved, but not yet in force. It takes effect by itself. Repeat the call to learn whether it has.'
  ],
  revocation_pending: [503, 'gateway_error', 'The key is being revoked but not yet everywhere. Try again in a moment.'],
  // Answered by nginx in front of the gateways: see deploy/nginx.
  gateway_unreachable: [503, 'gateway_error', 'No gateway can be reached. Retry in a few seconds.'],
  draining: [503, 'gateway_error', 'This instance is stopping. Try again.']
} as const satisfies Record<string, readonly [status: number, type: string, message: string]>

/** The message of `account_suspended` for the personal account of somebody who has a seat in a team. */
export const pausedAccountMessage =
  'This key belongs to a personal account that is paused while its owner is in a team. Use a key of the team.'

export type ErrorCode = keyof typeof errorTable
export type ErrorType = (typeof errorTable)[ErrorCode][1]
