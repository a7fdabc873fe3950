import assert from 'node:assert/strict'
import { test } from 'tap'
import { globToPattern, isRedirectAllowed } from './redirect-target.ts'

const hosted = { siteUrl: 'https://app.example.com', redirectAllowList: ['https://*.example.net/**', 'myapp://login'] }
const local = { siteUrl: 'http://localhost:3000', redirectAllowList: [] }

test('redirects go only to the site, loopback addresses and the allow list', async () => {
  for (const [settings, target, expected] of [
    [hosted, 'https://app.example.com', true],
    [hosted, 'https://app.example.com/path?x=1#y', true],
    [hosted, 'http://app.example.com/', false],
    [hosted, 'https://app.example.com:444/', false],
    [hosted, 'https://app.example.com.evil.com/', false],
    [hosted, 'https://app.example.com@evil.com/', false],
    [hosted, 'https://a.example.net/b/c', true],
    [hosted, 'https://a.b.example.net/', false],
    [hosted, 'https://evil.com/?https://a.example.net/', false],
    [hosted, 'myapp://login', true],
    [hosted, 'myapp://other', false],
    [hosted, '/relative', false],
    [hosted, '', false],
    [hosted, 'javascript:alert(1)', false],
    [hosted, 'http://10.0.0.1/', false],
    [hosted, 'http://127.0.0.1:5173/', true],
    [hosted, 'http://[::1]:5173/', true],
    [local, 'http://localhost:3000/x', true],
    [local, 'http://localhost:5173/x', true],
    [local, 'https://localhost:3000/x', false]
  ] as const) {
    assert.equal(isRedirectAllowed(target, settings), expected, `${settings.siteUrl} ${target}`)
  }
})

test('`*` stops at dots and slashes, `**` does not', async () => {
  for (const [glob, text, expected] of [
    ['a*c', 'abc', true],
    ['a*c', 'a.c', false],
    ['a**c', 'a.b/c', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['{x,y*}.com', 'yes.com', true],
    ['{x,y*}.com', 'z.com', false],
    ['v[0-9]', 'v7', true],
    ['v[!0-9]', 'v7', false],
    ['v[!0-9]', 'vx', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a.c', 'abc', false],
    ['(a+)', '(a+)', true],
    ['a', 'xax', false]
  ] as const) {
    assert.equal(globToPattern(glob).test(text), expected, `${glob} ${text}`)
  }
})
