import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { cookieAttributes, presentedSessions } from './session-cookie.ts'

test('the cookie is secure if and only if the public URL is https', async () => {
  assert.equal(cookieAttributes('https://app.example.com', 'example.com').secure, true)
  assert.equal(cookieAttributes('http://app.example.com', 'example.com').secure, false)
})

test('the cookie is shared with subdomains if cookies can name the domain', async () => {
  assert.equal(cookieAttributes('https://app.example.com', 'example.com').domain, 'example.com')
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    assert.equal('domain' in cookieAttributes(`http://${host}:3000`, host), false, host)
  }
})

test('every cookie of this name is found, and no other', async () => {
  assert.deepEqual(presentedSessions(undefined), [])
  assert.deepEqual(presentedSessions(''), [])
  assert.deepEqual(presentedSessions('a=1; svc_session=x;svc_session=y; xsvc_session=z; svc_sessionx=z'), ['x', 'y'])
  assert.deepEqual(presentedSessions('svc_session; svc_session='), ['', ''])
  assert.deepEqual(presentedSessions('svc_session=a=b'), ['a=b'])
})

test('any cookie header can be parsed', async () => {
  fc.assert(fc.property(fc.string(), (header) => Array.isArray(presentedSessions(header))))
})
