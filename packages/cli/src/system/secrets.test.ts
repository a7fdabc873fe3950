import assert from 'node:assert/strict'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { keepSecrets } from './secrets.ts'
import { SystemError } from './system-error.ts'

test('secrets are random, and stay the same at later starts', async (t) => {
  const [one, two] = [t.testdir({ a: {}, b: {} }), t.testdirName]
  const first = keepSecrets(join(one, 'a'))
  assert.match(first.anonKey, /^sb_publishable_[\w-]{32}$/)
  assert.match(first.serviceRoleKey, /^sb_secret_[\w-]{32}$/)
  assert.match(first.stripeKey, /^sk_test_[\w-]{32}$/)
  assert.match(first.webhookSecret, /^whsec_[\w-]{32}$/)
  assert.equal(Buffer.from(first.secretsKey, 'base64').length, 32)
  assert.deepEqual(keepSecrets(join(one, 'a')), first)
  const other = keepSecrets(join(two, 'b'))
  assert.notEqual(other.anonKey, first.anonKey)
  assert.notEqual(other.serviceRoleKey, first.serviceRoleKey)
})

test('only the owner can read the secrets, even after a chmod of the file', async (t) => {
  const dataDir = t.testdir()
  const file = join(dataDir, 'secrets.json')
  const mode = () => statSync(file).mode & 0o777
  keepSecrets(dataDir)
  assert.equal(mode(), 0o600)
  chmodSync(file, 0o644)
  keepSecrets(dataDir)
  assert.equal(mode(), 0o600)
})

test('a directory of an earlier release keeps its secrets and gets the missing ones', async (t) => {
  const dataDir = t.testdir()
  const before = { anonKey: 'sb_publishable_a', serviceRoleKey: 'sb_secret_b' }
  writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(before))
  const secrets = keepSecrets(dataDir)
  assert.deepEqual({ ...secrets, ...before }, secrets)
  assert.match(secrets.stripeKey, /^sk_test_/)
  assert.deepEqual(keepSecrets(dataDir), secrets)
})

test('a file without secrets is an error, and is not overwritten', async (t) => {
  for (const text of [
    '',
    '{}',
    '[]',
    'null',
    '{"anonKey":"a","serviceRoleKey":1}',
    '{"anonKey":"a","serviceRoleKey":"b","stripeKey":1}'
  ]) {
    const dataDir = t.testdir()
    writeFileSync(join(dataDir, 'secrets.json'), text)
    assert.throws(() => keepSecrets(dataDir), SystemError, text)
    assert.equal(statSync(join(dataDir, 'secrets.json')).size, text.length)
  }
})
