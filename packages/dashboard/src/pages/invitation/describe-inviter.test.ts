import assert from 'node:assert/strict'
import { test } from 'tap'
import { describeInviter, nameInviter } from './describe-inviter.ts'

const by = (name: string) => ({
  invited_by: { name, email: 'olive@example.com' },
  expires_at: '2026-12-01T00:00:00.000Z'
})

test('an inviter is named, always with the address', async () => {
  assert.equal(nameInviter(by('Olive Owner')), 'Olive Owner')
  assert.equal(describeInviter(by('Olive Owner')), 'Olive Owner (olive@example.com)')
})

test('an inviter without a name has the address', async () => {
  for (const name of ['', ' ']) {
    assert.equal(nameInviter(by(name)), 'olive@example.com')
    assert.equal(describeInviter(by(name)), 'olive@example.com')
  }
})
