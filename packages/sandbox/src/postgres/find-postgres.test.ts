import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { findPostgres, findUser } from './find-postgres.ts'

test('PostgreSQL is found on PATH, else the newest installed version', async (t) => {
  const bin = () => ({ postgres: '', initdb: '' })
  const root = t.testdir({
    half: { postgres: '' },
    path: bin(),
    lib: { 9.6: { bin: bin() }, 15: { bin: bin() }, 17: { bin: {} } }
  })
  for (const path of ['path', 'lib/9.6/bin', 'lib/15/bin']) {
    for (const name of ['postgres', 'initdb']) chmodSync(join(root, path, name), 0o755)
  }
  chmodSync(join(root, 'half/postgres'), 0o755)
  const lib = join(root, 'lib')
  assert.equal(findPostgres({ PATH: `${root}/half:relative::${root}/path` }, lib), join(root, 'path'))
  assert.equal(findPostgres({ PATH: `${root}/half` }, lib), join(root, 'lib/15/bin'))
  assert.equal(findPostgres({}, join(root, 'absent')), null)
})

test('a system user is found by its full name', async () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\npostgresql:x:7:8::/:/bin/sh\npostgres:x:101:104:,,,:/var:/bin/sh\n'
  assert.deepEqual(findUser('postgres', passwd), { uid: 101, gid: 104 })
  assert.equal(findUser('postgre', passwd), null)
})
