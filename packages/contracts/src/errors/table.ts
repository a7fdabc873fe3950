/**
 * Every error of both services: code → HTTP status, type and public message. A message says what happened and what to
 * do next. Codes are a public contract: never rename one, or give it another meaning.
 */
export const errorTable = {
  // The request
  invalid_json: [400, 'invalid_request_error', 'The request body is not valid JSON. Correct it and send it again.'],
  invalid_request: [400, 'invalid_request_error', 'The request is not valid. Compare it with the API reference.'],
  unpriced_parameter: [
    400,
    'invalid_request_error',
    'The catalog has no price for a parameter of the request. Remove that parameter.'
  ],
  wrong_endpoint: [
    400,
    'invalid_request_error',
    'The model is not offered at this endpoint. Send the request to one of its endpoints: `GET /v1/models` lists them.'
  ],
  // The code of Anthropic's API. Its SDK then continues without a thread.
  thread_unsupported_request: [
    400,
    'invalid_request_error',
    'Threads are not offered, because the prompt that the provider stores cannot be bounded. Remove thread, and send all messages.'
  ],
  exceeds_rate_limit: [
    400,
    'invalid_request_error',
    'The request may use more tokens than your plan or key allows per minute. Shorten the prompt or lower the output limit.'
  ],
  invalid_email: [400, 'invalid_request_error', 'The e-mail address is not valid. Check its spelling.'],
  weak_password: [400, 'invalid_request_error', 'The password is too weak. Choose a longer one.'],
  unknown_price: [400, 'invalid_request_error', 'This price is not on sale. Choose one from the list of plans.'],
  invalid_signature: [
    400,
    'invalid_request_error',
    "The event's signature is missing, wrong or too old. Check the signing secret and the sender's clock."
  ],
  link_invalid: [400, 'invalid_request_error', 'The link was already used or has expired. Request a new one.'],
  not_found: [404, 'invalid_request_error', 'Nothing exists at this address. Check the path and the id.'],
  invitation_invalid: [
    404,
    'invalid_request_error',
    "The invitation has been used, was withdrawn or has expired. Ask the team's owner for a new one."
  ],
  previous_response_not_found: [
    404,
    'invalid_request_error',
    'The previous response was not found. Send all items of the conversation in input.'
  ],
  conversation_not_found: [
    404,
    'invalid_request_error',
    'The conversation was not found. Send all its items in input, or use previous_response_id.'
  ],
  response_not_found: [404, 'invalid_request_error', 'The response was not found. Check its id.'],
  item_not_found: [404, 'invalid_request_error', 'A stored item was not found. Send the item with its content.'],
  unknown_endpoint: [
    404,
    'invalid_request_error',
    'This endpoint does not exist. Check the path in the API reference.'
  ],
  method_not_allowed: [
    405,
    'invalid_request_error',
    'The endpoint does not accept this method. Use a method from the Allow header.'
  ],
  unknown_host: [
    421,
    'invalid_request_error',
    'This host name is not served. Use the public address, or ask the operator to add the name to ALLOWED_HOSTS.'
  ],
  websocket_not_offered: [
    426,
    'invalid_request_error',
    'WebSockets are not offered. Send each request with POST, and "stream": true for a stream.'
  ],
  already_created: [
    409,
    'invalid_request_error',
    'An earlier request with this Idempotency-Key already created or rotated an API key. To do it again, send a new Idempotency-Key.'
  ],
  account_changed: [
    409,
    'invalid_request_error',
    'You now act for another account than the request names, such as after you joined or left a team. Nothing was created.'
  ],
  budget_changed: [
    409,
    'invalid_request_error',
    'Somebody changed the monthly budget since you read it, so nothing was changed. Read it again, then send your change.'
  ],
  idempotency_key_reused: [
    409,
    'invalid_request_error',
    'Another request was sent with this Idempotency-Key. Send a new key, or repeat the first request without changes.'
  ],
  idempotency_answer_lost: [
    409,
    'invalid_request_error',
    'The first request with this Idempotency-Key was charged, or may have been, and its answer is not kept. To run and pay it again, send a new key.'
  ],
  pending_act_closed: [
    409,
    'invalid_request_error',
    'The act was already confirmed or rejected, or nobody confirmed it in time. Ask for it again if it is still wanted.'
  ],
  webhooks_not_set_up: [
    409,
    'invalid_request_error',
    'Webhooks are not set up on this system. Ask its operator to set SECRETS_KEY.'
  ],
  already_member: [
    409,
    'invalid_request_error',
    'This person is already a member of the team. No invitation is needed.'
  ],
  already_in_team: [409, 'invalid_request_error', 'You are already in a team. Leave it before you join another one.'],
  subscription_active: [
    409,
    'invalid_request_error',
    'Your account has a subscription. Cancel it before you join a team.'
  ],
  already_subscribed: [
    409,
    'invalid_request_error',
    'The account already has a subscription. Change it in the billing portal.'
  ],
  no_customer: [
    409,
    'invalid_request_error',
    'The account has no purchases, so it has no billing portal. Choose a plan first.'
  ],
  password_mismatch: [
    409,
    'invalid_request_error',
    'This address was registered with another password. Enter that password, or send "set": true to replace it.'
  ],
  request_timeout: [
    408,
    'invalid_request_error',
    'The request body arrived too slowly for its size. Send it faster, or send a smaller one.'
  ],
  request_too_large: [413, 'invalid_request_error', 'The request body is too large. Send a smaller one.'],
  unsupported_media_type: [
    415,
    'invalid_request_error',
    'The request body must be JSON. Send it with Content-Type: application/json.'
  ],

  second_factor_enabled: [
    409,
    'invalid_request_error',
    'The second factor is already on. Turn it off before you set up another one.'
  ],
  no_second_factor: [409, 'invalid_request_error', 'The account has no second factor. Set one up first.'],

  // Who calls
  not_authenticated: [401, 'authentication_error', 'Your session is missing or has expired. Sign in first.'],
  sign_in_again: [
    401,
    'authentication_error',
    'Operators must sign in every 12 hours, and you signed in earlier. Sign in again.'
  ],
  invalid_credentials: [
    401,
    'authentication_error',
    'The e-mail address or the password is wrong. Try again, or reset the password.'
  ],
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
  invalid_webhook_secret: [
    401,
    'authentication_error',
    "The webhook's secret is missing or wrong. Send the value of IDENTITY_WEBHOOK_SECRET."
  ],
  missing_api_key: [
    401,
    'authentication_error',
    'The request has no API key. Send one: Authorization: Bearer <API_KEY>.'
  ],
  invalid_api_key: [401, 'authentication_error', 'The API key is not valid. Check that you copied all of it.'],
  revoked_api_key: [401, 'authentication_error', 'The API key has been revoked. Create a new key in the dashboard.'],
  expired_api_key: [401, 'authentication_error', 'The API key has expired. Create a new key in the dashboard.'],

  // Budgets
  request_budget_exceeded: [
    402,
    'budget_error',
    "The request's maximum cost exceeds the per-request limit. Shorten the prompt or lower the output limit."
  ],
  monthly_budget_exceeded: [
    402,
    'budget_error',
    "The request's maximum cost exceeds what is left of the account's monthly budget. It begins again with the next month (UTC). To go on now, raise the account's own budget, choose a larger plan, or lower the output limit."
  ],
  free_budget_elsewhere: [
    402,
    'budget_error',
    'Another account with your e-mail address has the free budget. Use a key of that account, delete it, or choose a paid plan.'
  ],
  free_spend_exhausted: [
    402,
    'budget_error',
    'The free offer has reached its limit for today. Retry after midnight UTC, or choose a paid plan.'
  ],
  key_budget_exceeded: [
    402,
    'budget_error',
    "The request's maximum cost exceeds what is left of the key's monthly budget. It begins again with the next month (UTC). To go on now, raise the budget, or lower the output limit."
  ],

  budget_exceeded: [
    402,
    'budget_error',
    "The request's maximum cost exceeds what is left of a budget. It begins again at resets_at. To go on now, raise the budget, or lower the output limit."
  ],

  // Permissions
  email_not_confirmed: [
    403,
    'permission_error',
    'Your e-mail address is not confirmed. Open the link that we mailed to it.'
  ],
  wrong_password: [403, 'permission_error', 'The current password is wrong. Try again, or reset the password.'],
  confirmation_required: [
    403,
    'permission_error',
    'Confirm that it is you: send your password to POST /api/auth/reauthenticate. Then repeat the request within 10 minutes.'
  ],
  operator_needs_second_factor: [
    403,
    'permission_error',
    'Operators need a second factor for this. Turn it on at Account in the dashboard. Then repeat the request.'
  ],
  second_factor_unavailable: [
    403,
    'permission_error',
    'The identity provider does not offer second factors. Ask the operator to turn on TOTP there.'
  ],
  captcha_failed: [
    403,
    'permission_error',
    'The CAPTCHA was not solved or has expired. Solve it again. If none is shown, ask the operator.'
  ],
  registration_closed: [403, 'permission_error', 'New registrations are closed. Ask the operator for an account.'],
  address_not_allowed: [
    403,
    'permission_error',
    'Addresses of this domain cannot register here. Use another e-mail address, or ask the operator for an account.'
  ],
  forbidden: [403, 'permission_error', 'Only the owner of the account may do this. Ask the owner.'],
  paused_api_key: [
    403,
    'permission_error',
    "The API key is paused. Resume it in the dashboard, or ask the account's owner."
  ],
  ip_address_not_allowed: [
    403,
    'permission_error',
    "The API key does not work from your IP address. Use an address of the key's list, or ask the account's owner to change the list."
  ],
  account_suspended: [403, 'permission_error', 'The account is suspended. Contact the operator.'],
  csrf_rejected: [
    403,
    'permission_error',
    'Requests from this origin are not accepted. Ask the operator to add it to CORS_EXTRA_ORIGINS.'
  ],
  key_quota_exceeded: [403, 'permission_error', 'Your plan allows no more API keys. Revoke one or upgrade.'],
  partner_api_not_allowed: [
    403,
    'permission_error',
    'Your plan does not let a server create keys. Upgrade, or create keys in the dashboard.'
  ],
  webhook_limit_reached: [
    403,
    'permission_error',
    'The account has the maximum number of webhook endpoints. Delete one first.'
  ],
  seat_limit_reached: [403, 'permission_error', 'Your plan allows no more seats. Remove a member or upgrade.'],
  model_not_allowed: [
    403,
    'permission_error',
    'The model does not exist, or your plan or key does not include it. Choose one that GET /v1/models lists, or a plan that has it.'
  ],

  // Operators
  catalog_refused: [
    400,
    'invalid_request_error',
    'The catalog cannot be published. Correct the problems that the message names.'
  ],

  // Teams
  team_has_members: [409, 'invalid_request_error', 'Your team has other members. Remove them first.'],

  // Rates
  too_many_requests: [429, 'rate_limit_error', 'Too many requests. Wait a minute, then retry.'],
  requests_per_minute: [
    429,
    'rate_limit_error',
    'You have reached the request rate of your plan or key. Retry after the time in Retry-After.'
  ],
  tokens_per_minute: [
    429,
    'rate_limit_error',
    'You have reached the token rate of your plan or key. Retry after the time in Retry-After.'
  ],
  concurrent_requests: [
    429,
    'rate_limit_error',
    'The account or the key already has as many requests in flight as its limit allows. Retry when one of them has ended.'
  ],
  free_model_requests: [
    429,
    'rate_limit_error',
    'You have reached the number of requests to free models that your plan allows. Retry after the time in Retry-After, or use another model.'
  ],
  concurrent_request_bytes: [
    429,
    'rate_limit_error',
    "The bodies of this key's requests in flight are too large in total. Retry when one of them has ended."
  ],

  // Upstreams
  upstream_unreachable: [502, 'upstream_error', 'The model provider could not be reached. Retry in a few seconds.'],
  upstream_error: [502, 'upstream_error', 'The model provider failed. Retry in a few seconds.'],
  upstream_rejected_credentials: [
    502,
    'upstream_error',
    "The model provider rejected the gateway's credentials. Ask the operator to correct them."
  ],
  upstream_quota_exhausted: [
    502,
    'upstream_error',
    "The gateway's account at the model provider has no credit left. Ask the operator to add credit or raise the spending limit."
  ],
  upstream_misconfigured: [
    502,
    'upstream_error',
    'The gateway cannot use this model at its provider. Use another model, and tell the operator.'
  ],
  upstream_rate_limited: [
    503,
    'upstream_error',
    'The gateway has reached its rate limit at the model provider. Retry after the time in Retry-After.'
  ],
  upstream_timeout: [
    504,
    'upstream_error',
    'The model provider did not answer in time. Shorten the request, or use another model.'
  ],

  model_unavailable: [
    503,
    'upstream_error',
    'No provider serves this model now. Retry in a few seconds, or use another model. If this stays, tell the operator.'
  ],

  // Tollgate and its dependencies
  internal_error: [
    500,
    'gateway_error',
    'The service failed. Retry; if it fails again, send the x-request-id header to the operator.'
  ],
  state_unavailable: [503, 'gateway_error', 'The service is temporarily unavailable. Retry in a few seconds.'],
  identity_unavailable: [
    503,
    'gateway_error',
    'The identity provider is temporarily unavailable. Retry in a few seconds.'
  ],
  payments_unavailable: [
    503,
    'gateway_error',
    'The payment provider is temporarily unavailable. Retry in a few seconds.'
  ],
  gateway_busy: [
    503,
    'gateway_error',
    "The gateway's memory for request bodies is full. Retry after the time in Retry-After."
  ],
  database_unavailable: [503, 'gateway_error', 'The database is temporarily unavailable. Retry in a few seconds.'],
  change_pending: [
    503,
    'gateway_error',
    'The change is saved, but not active yet. It becomes active soon. Repeat the call to check.'
  ],
  revocation_pending: [
    503,
    'gateway_error',
    'The change is saved, but some gateways may still accept the old keys. Repeat the call in a few seconds.'
  ],
  // Answered by nginx in front of the gateways: see deploy/nginx.
  gateway_unreachable: [
    503,
    'gateway_error',
    'The gateway cannot be reached, or stopped before it answered. Retry in a few seconds.'
  ],
  draining: [503, 'gateway_error', 'This gateway is stopping. Retry: another one will answer.']
} as const satisfies Record<string, readonly [status: number, type: string, message: string]>

/** The message of `account_suspended` for a personal account whose owner has a seat in a team. */
export const pausedAccountMessage =
  'This key belongs to a personal account that is paused while its owner is in a team. Use a key of the team.'

/** The message of `account_suspended` for an account that waits for an operator's approval. */
export const waitingAccountMessage =
  'Your account waits for approval. Until an operator approves it, it has no API keys and can buy nothing.'

/** Where the gateway refuses a management key. */
export const managementKeyMessage =
  'This is a management key (tgm_…). It belongs to the Keys API: /api/keys at the address of the dashboard. To call models, send an inference key (tg_…).'

/** Where the gateway refuses a text that has not the form of a key. */
export const foreignKeyMessage =
  'The API key is not a key of this service: these begin with tg_. Create one in the dashboard, and send it instead.'

/** Where control needs a session and gets a key. @param kind of the key */
export const sessionNeededMessage = (kind: 'inference' | 'management'): string =>
  kind === 'management'
    ? 'A management key (tgm_…) cannot do this. Sign in, and send the session cookie instead of the key.'
    : 'An inference key (tg_…) cannot do this: it only calls models. Sign in, and send the session cookie instead of the key.'

/** Where control gets an inference key. @param gatewayUrl address of the gateway, without a slash at its end */
export const inferenceKeyMessage = (gatewayUrl: string): string =>
  `This is an inference key (tg_…). It calls models at ${gatewayUrl}/v1. Here, send a management key (tgm_…), or sign in.`

export type ErrorCode = keyof typeof errorTable
export type ErrorType = (typeof errorTable)[ErrorCode][1]
