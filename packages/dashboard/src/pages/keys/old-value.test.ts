import assert from 'node:assert/strict'
import { test } from 'tap'
import { oldValueUntil } from './old-value.ts'

const now = new Date('2026-05-05T12:00:00Z')
const key = { status: 'active', old_secret_until: '2026-05-05T12:00:01Z', expires_at: null } as const

test('an old value is shown only while it works', async () => {
  assert.equal(oldValueUntil(key, now), key.old_secret_until)
  assert.equal(oldValueUntil({ ...key, old_secret_until: null }, now), null)
  assert.equal(oldValueUntil({ ...key, old_secret_until: '2026-05-05T12:00:00Z' }, now), null)
  assert.equal(oldValueUntil({ ...key, status: 'revoked' }, now), null)
})

test('an old value works no longer than its key', async () => {
  const soon = '2026-05-05T12:00:00.500Z'
  assert.equal(oldValueUntil({ ...key, expires_at: soon }, now), soon)
  assert.equal(oldValueUntil({ ...key, expires_at: '2026-05-05T11:00:00Z' }, now), null)
})
