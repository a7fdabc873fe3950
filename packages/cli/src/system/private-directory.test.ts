import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makePrivate } from './private-directory.ts'

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
