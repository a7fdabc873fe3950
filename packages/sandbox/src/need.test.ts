import assert from 'node:assert/strict'
import { test } from 'tap'
import { need } from './need.ts'

function recorder() {
  const said: string[] = []
  return {
    said,
    pass: (message: string, extra: { skip: string }) => said.push(`skip: ${message} (${extra.skip})`),
    fail: (message: string) => said.push(`fail: ${message}`)
  }
}

test('an installed program is used without a message', async () => {
  const t = recorder()
  assert.equal(need(t, 'a database', 0, { CI: 'true' }), true)
  assert.deepEqual(t.said, [])
})

test('on a bare machine, a missing program skips the test with a message', async () => {
  for (const missing of [null, undefined]) {
    const t = recorder()
    assert.equal(need(t, 'PostgreSQL', missing, {}), false)
    assert.deepEqual(t.said, ['skip: needs PostgreSQL (PostgreSQL is not installed on this machine)'])
  }
})

test('in CI, a missing program fails the test', async () => {
  const t = recorder()
  assert.equal(need(t, 'PostgreSQL', null, { CI: 'true' }), false)
  assert.deepEqual(t.said, ['fail: PostgreSQL is not installed on this machine, and CI must not skip'])
})
