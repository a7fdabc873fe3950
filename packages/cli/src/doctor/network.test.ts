import assert from 'node:assert/strict'
import { test } from 'tap'
import { isPrivate, isSameUrl } from './network.ts'

test('addresses of this machine and of private networks are private', async () => {
  for (const host of [
    'localhost',
    '127.0.0.1',
    '[::1]',
    '10.1.2.3',
    '192.168.0.1',
    '172.20.0.1',
    'redis',
    'nas.local'
  ]) {
    assert.ok(isPrivate(host), host)
  }
  for (const host of ['example.com', '203.0.113.7', '172.32.0.1', '[2001:db8::1]']) assert.ok(!isPrivate(host), host)
})

test('two URLs are the same with either name of this machine, and with or without the default port', async () => {
  for (const [one, other, isSame] of [
    ['http://localhost:3000/x', 'http://127.0.0.1:3000/x', true],
    ['https://app.example.com', 'https://app.example.com:443/', true],
    ['https://app.example.com/x', 'https://app.example.com/x/', false],
    ['https://app.example.com/x', 'http://app.example.com/x', false],
    ['https://app.example.com', 'not a URL', false]
  ] as const) {
    assert.equal(isSameUrl(one, other), isSame, `${one} ${other}`)
  }
})
