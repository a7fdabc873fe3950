import assert from 'node:assert/strict'
import { test } from 'tap'
import { returnPath } from './return-path.ts'

test('a path to return to is one that a header can have, or the overview', async () => {
  assert.equal(returnPath('/dashboard/keys?q=a%20b#x'), '/dashboard/keys?q=a%20b#x')
  assert.equal(returnPath('/dashboard/☃?q=\u0001é'), '/dashboard/%E2%98%83?q=%01%C3%A9')
  for (const refused of [undefined, '', 'https://evil.example/dashboard', `/dashboard/${'☃'.repeat(300)}`]) {
    assert.equal(returnPath(refused), '/dashboard', refused)
  }
})
