import assert from 'node:assert/strict'
import { test } from 'tap'
import { readNext, withNext } from './after-sign-in.ts'

test('signing in and registering lead back to pages of the dashboard only', async () => {
  for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/usage?from=1&to=2']) {
    assert.equal(readNext(withNext('', path)), path)
  }
  for (const path of [
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/dashboard\\..\\..//evil.example',
    '/dashboard/..//evil.example',
    '/dashboard/%2e%2E//evil.example',
    '/dashboard/../api/auth/signout',
    '/dashboard//evil.example',
    'javascript:alert(1)',
    '/dashboardx',
    '/api/auth/signout',
    '/login',
    '/invitations/a-token'
  ]) {
    assert.equal(readNext(withNext('', path)), undefined)
  }
  assert.equal(readNext(''), undefined)
})

test('an address without a page to return to stays as it is', async () => {
  assert.equal(withNext('/register', undefined), '/register')
  assert.equal(withNext('/register', '/dashboard/keys'), '/register?next=%2Fdashboard%2Fkeys')
})
