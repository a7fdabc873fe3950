import { idempotencyKey, metadataFilter, type Operations } from './operation-text.ts'

export const keyOperations: Operations = {
  'GET /api/keys': {
    operationId: 'listKeys',
    summary: 'List the keys of the account, newest first',
    auth: 'account',
    parameters: [
      metadataFilter('`metadata.<name>=<value>` lists only the keys with this pair. It can be given several times.')
    ]
  },
  'POST /api/keys': {
    operationId: 'createKey',
    summary: 'Create a key',
    description:
      'Only this answer contains the secret. A repeated request with the same `Idempotency-Key` within 24 hours creates no second key, and gets the id of the first. A management key also needs a sign-in or a confirmation in the last 10 minutes.',
    auth: 'account',
    isLimited: true,
    parameters: [idempotencyKey],
    errors: [
      'account_suspended',
      'partner_api_not_allowed',
      'key_quota_exceeded',
      'forbidden',
      'confirmation_required',
      'account_changed',
      'already_created'
    ]
  },
  'GET /api/keys/{id}': {
    operationId: 'getKey',
    summary: 'Get a key, and whether its last change is in force',
    description:
      '`in_force` is true when all gateways use the current state of the key. It is false while Redis is unavailable. Also returns revoked keys.',
    auth: 'account',
    errors: ['not_found']
  },
  'PATCH /api/keys/{id}': {
    operationId: 'changeKey',
    summary: 'Change a key’s label, limits or metadata',
    description:
      'After success, all gateways enforce the new limits. A change of only label or metadata does not wait for the gateways. `change_pending` means that the change is saved and takes effect by itself. Safe to repeat. Creations, rotations and changes of keys share one rate limit per account.',
    auth: 'account',
    isLimited: true,
    errors: ['not_found', 'forbidden', 'key_quota_exceeded', 'budget_changed', 'change_pending']
  },
  'POST /api/keys/{id}/rotate': {
    operationId: 'rotateKey',
    summary: 'Replace the secret of a key',
    description:
      'Only this answer contains the new secret. After 200, gateways refuse the old secret at once, or when the requested grace ends. With 202, `in_force` is false: the old secret may still work, and the new one may not work yet. The change takes effect by itself; `GET /api/keys/{id}` shows when. `Idempotency-Key` works as for a new key. With `cut_streams: true`, open requests with the old secret end, too; that needs a grace of 0.',
    auth: 'account',
    isLimited: true,
    parameters: [idempotencyKey],
    errors: ['confirmation_required', 'not_found', 'forbidden', 'already_created']
  },
  'POST /api/keys/{id}/end-grace': {
    operationId: 'endKeyGrace',
    summary: 'End the old secret of a rotated key now',
    description:
      'After success, gateways admit no request with the old secret. Open requests go on. `revocation_pending` means that the change is saved and takes effect by itself. Safe to repeat, also without an old secret. Not rate limited.',
    auth: 'account',
    errors: ['not_found', 'forbidden', 'revocation_pending']
  },
  'DELETE /api/keys/{id}': {
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'After success, gateways admit no request with the key. Open requests go on, unless `cut_streams` is `true`: then their streams get a last event with `revoked_api_key`, within a second, or five if Redis loses the announcement. Also ends the open requests of a key that is already revoked. Safe to repeat. Not rate limited.',
    auth: 'account',
    errors: ['not_found', 'forbidden', 'revocation_pending']
  }
}
