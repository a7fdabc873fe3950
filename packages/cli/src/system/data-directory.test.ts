import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { test } from 'tap'
import { keepSecrets, makePrivate } from './data-directory.ts'
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

const modeOf = (path: string) => statSync(path).mode & 0o777

t.test('new and existing directories become private, with their contents', async (t) => {
  const root = t.testdir({ outside: 'x' })
  chmodSync(join(root, 'outside'), 0o666)
  const data = join(root, 'a/data')
  assert.equal(makePrivate(data), 0)
  assert.equal(modeOf(data), 0o700)

  mkdirSync(join(data, 'postgres/base'), { recursive: true })
  for (const [name, mode] of [
    ['postgres/base/1', 0o666],
    ['secrets.json', 0o640],
    ['private', 0o600],
    ['run', 0o755]
  ] as const) {
    writeFileSync(join(data, name), 'x')
    chmodSync(join(data, name), mode)
  }
  for (const directory of ['', 'postgres', 'postgres/base']) chmodSync(join(data, directory), 0o777)
  symlinkSync(join(root, 'outside'), join(data, 'link'))
  assert.equal(makePrivate(data), 6)
  for (const directory of ['', 'postgres', 'postgres/base']) assert.equal(modeOf(join(data, directory)), 0o700)
  for (const name of ['postgres/base/1', 'secrets.json', 'private']) assert.equal(modeOf(join(data, name)), 0o600, name)
  assert.equal(modeOf(join(data, 'run')), 0o700)
  assert.equal(modeOf(join(root, 'outside')), 0o666, 'a link is not followed')
  assert.equal(makePrivate(data), 0)

  // PGlite creates such files. Only their owner can open their directory.
  chmodSync(join(data, 'private'), 0o666)
  assert.equal(makePrivate(data), 0, 'no other user had access')
  assert.equal(modeOf(join(data, 'private')), 0o600)
})

t.test('if the directory is a link, its target becomes private', async (t) => {
  const root = t.testdir({ real: { secret: 'x' } })
  chmodSync(join(root, 'real'), 0o755)
  chmodSync(join(root, 'real/secret'), 0o644)
  symlinkSync(join(root, 'real'), join(root, 'data'))
  assert.equal(makePrivate(join(root, 'data')), 2)
  assert.equal(modeOf(join(root, 'real')), 0o700)
  assert.equal(modeOf(join(root, 'real/secret')), 0o600)
})

// Only root can give files away.
const skip = process.getuid?.() === 0 ? false : 'not root'
t.test('the error names a file that belongs to another user', { skip }, async (t) => {
  const data = join(t.testdir(), 'data')
  makePrivate(data)
  const foreign = join(data, 'foreign')
  writeFileSync(foreign, 'x')
  chownSync(foreign, 65534, 65534)
  assert.throws(() => makePrivate(data), {
    name: 'SystemError',
    message: /foreign belongs to another user \(uid 65534\)/
  })
  assert(existsSync(foreign))
})
