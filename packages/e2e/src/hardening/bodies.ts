const webhook = (type: string) => ({ url: 'https://example.com/hook', description: 'one', event_types: [type] })

/** For each operation, a body that its schema accepts. Bad input is made from these. */
export const goodBodies: Readonly<Record<string, Record<string, unknown>>> = {
  'POST /api/auth/register': { email: 'eve@example.com', password: 'correct horse battery', name: 'Eve' },
  'POST /api/auth/login': { email: 'eve@example.com', password: 'correct horse battery', code: '123456' },
  'POST /api/auth/login/code': { code: '123456' },
  'POST /api/auth/confirm': {
    token_hash: 'a'.repeat(56),
    type: 'email',
    password: 'correct horse battery',
    set: true,
    code: '123456'
  },
  'POST /api/auth/signout': {},
  'POST /api/auth/forgot-password': { email: 'eve@example.com' },
  'POST /api/auth/resend-confirmation': { email: 'eve@example.com' },
  'POST /api/auth/reset-password': {
    token_hash: 'a'.repeat(56),
    password: 'correct horse battery',
    revoke_keys: true,
    sign_in: true
  },
  'POST /api/auth/change-password': { current_password: 'correct horse', password: 'correct horse battery' },
  'POST /api/auth/reauthenticate': { password: 'correct horse battery', code: '123456' },
  'POST /api/auth/second-factor': { password: 'correct horse battery' },
  'POST /api/auth/second-factor/confirm': { password: 'correct horse battery', code: '123456' },
  'POST /api/auth/second-factor/recovery-codes': { password: 'correct horse battery', code: '123456' },
  'DELETE /api/auth/second-factor': { password: 'correct horse battery', code: '123456' },
  'PATCH /api/auth/me': { name: 'Eve' },
  'DELETE /api/auth/me': {},
  'DELETE /api/auth/sessions/{id}': {},
  'PATCH /api/account': { monthly_budget_usd: 1 },
  'POST /api/team/seats': { email: 'eve@example.com' },
  'POST /api/team/invitations/{token}/accept': {},
  'DELETE /api/team/seats/{id}': {},
  'POST /api/billing/checkout': { price_id: 'price_1' },
  'POST /api/keys': {
    label: 'one',
    scope: 'inference',
    expires_at: '2999-01-01T00:00:00Z',
    models: ['gpt-5-nano'],
    monthly_budget_usd: 1,
    thresholds: [50],
    requests_per_minute: 60,
    metadata: { tenant: '1' }
  },
  'PATCH /api/keys/{id}': {
    label: 'one',
    expires_at: '2999-01-01T00:00:00Z',
    models: ['gpt-5-nano'],
    monthly_budget_usd: 1,
    thresholds: [50],
    requests_per_minute: 60,
    metadata: { tenant: '1' }
  },
  'POST /api/keys/{id}/rotate': { grace_seconds: 1 },
  'POST /api/keys/{id}/end-grace': {},
  'DELETE /api/keys/{id}': {},
  'POST /api/playground/token': {},
  'POST /api/webhooks': webhook('key.created'),
  'PATCH /api/webhooks/{id}': { ...webhook('key.created'), enabled: true },
  'DELETE /api/webhooks/{id}': {},
  'POST /api/webhooks/{id}/rotate': { overlap_seconds: 60 },
  'POST /api/webhooks/{id}/test': {},
  'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver': {},
  'POST /api/admin/webhooks': webhook('provider.failing'),
  'PATCH /api/admin/webhooks/{id}': { ...webhook('provider.failing'), enabled: true },
  'DELETE /api/admin/webhooks/{id}': {},
  'POST /api/admin/webhooks/{id}/rotate': { overlap_seconds: 60 },
  'POST /api/admin/webhooks/{id}/test': {},
  'POST /api/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver': {},
  'POST /api/events/seen': { id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11' },
  'POST /api/admin/events/seen': { id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11' },
  'POST /api/account/setup/dismiss': {},
  'PATCH /api/account/notifications': { mails: { budget: false }, thresholds: [50], key_thresholds: [50] },
  'PATCH /api/admin/accounts/{id}': {
    reason: 'a test',
    plan: { id: 'pro', ends_at: null },
    limits: {
      monthly_budget_usd: 1,
      request_budget_usd: 1,
      requests_per_minute: 1,
      tokens_per_minute: 1,
      concurrent_requests: 1,
      key_quota: 1,
      ends_at: '2999-01-01T00:00:00Z'
    }
  },
  'POST /api/admin/accounts/{id}/adjustments': {
    id: '6f0c1c2e-7f86-4f43-9d53-6f3d1e0b7a11',
    amount_usd: 1,
    month: '2026-01',
    reason: 'a test'
  },
  'POST /api/admin/accounts/{id}/suspend': { reason: 'a test' },
  'POST /api/admin/accounts/{id}/resume': { reason: 'a test' },
  'POST /api/admin/accounts/{id}/signout': { reason: 'a test' },
  'DELETE /api/admin/accounts/{id}': { reason: 'a test' },
  'POST /api/admin/keys/revoke': { id: 'key_none', reason: 'a test' },
  'POST /api/admin/catalog': { version: 1, reason: 'a test' },
  'POST /api/admin/catalog/diff': { version: 1 },
  'POST /api/admin/projection/rebuild': { reason: 'a test' }
}
