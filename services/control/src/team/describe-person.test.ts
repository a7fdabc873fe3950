import assert from 'node:assert/strict'
import { test } from 'tap'
import { describePerson } from './describe-person.ts'

test('a person is named, always with the address, in one short line', async () => {
  const email = 'olive@example.com'
  for (const [name, expected] of [
    ['Olive Owner', 'Olive Owner (olive@example.com)'],
    ['', email],
    [' \n\u200b', email],
    ['Olive\r\n\r\nYour password\u202e expires', 'Olive Your password expires (olive@example.com)'],
    ['x'.repeat(60), `${'x'.repeat(60)} (olive@example.com)`],
    ['🦊'.repeat(61), `${'🦊'.repeat(60)}… (olive@example.com)`]
  ] as const) {
    assert.equal(describePerson({ name, email }), expected)
  }
})
