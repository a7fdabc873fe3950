import assert from 'node:assert/strict'
import { test } from 'tap'
import { type Strength, strengthOf } from './password-strength.ts'

const cases: Array<[password: string, strength: Strength]> = [
  ['', 'short'],
  ['7 chars', 'short'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['12345678', 'weak'],
  ['abcdefghijkl', 'weak'],
  ['password', 'weak'],
  ['Password2026', 'weak'],
  ['horsebat', 'weak'],
  ['horse-bat-7', 'fair'],
  ['correct horse battery', 'strong'],
  ['kT9#mQ2$vX7!', 'strong']
]

for (const [password, strength] of cases) {
  test(`the strength of "${password}" is ${strength}`, async () => assert.equal(strengthOf(password, 8), strength))
}

test('the minimum is in characters, and the operator chooses it', async () => {
  assert.equal(strengthOf('🦊🦊🦊🦊', 8), 'short')
  assert.equal(strengthOf('correct horse', 14), 'short')
})
