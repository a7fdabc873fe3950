import assert from 'node:assert/strict'
import { test } from 'tap'
import { nextPath } from './next-path.ts'

test('signing in redirects only to pages of the dashboard', async () => {
  for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/usage?from=1']) {
    assert.equal(nextPath(path), path)
  }
  for (const path of [
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/dashboard\\..\\..//evil.example',
    'javascript:alert(1)',
    '/dashboardx',
    '/api/auth/signout',
    '/login',
    '/invitations/a-token'
  ]) {
    assert.equal(nextPath(path), '/dashboard')
  }
})
