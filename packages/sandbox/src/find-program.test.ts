import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { findProgram, programDirectories } from './find-program.ts'

test('a program is found on PATH by the first of its names', async (t) => {
  const root = t.testdir({
    a: { chromium: 'not runnable', folder: {} },
    b: { chrome: '', chromium: '', folder: '' }
  })
  for (const path of ['b/chrome', 'b/chromium', 'b/folder']) chmodSync(join(root, path), 0o755)
  const env = { PATH: `relative::${root}/a:${root}/b`, ONLY_PROGRAMS_ON_PATH: 'true' }
  assert.equal(findProgram(['absent', 'chromium', 'chrome'], env), join(root, 'b/chromium'))
  assert.equal(findProgram(['folder'], env), join(root, 'b/folder'))
  assert.equal(findProgram(['absent'], env), null)
  assert.equal(findProgram(['chromium'], {}), null)
})

test("Debian's directories come after PATH; ONLY_PROGRAMS_ON_PATH leaves them out", async (t) => {
  const versions = t.testdir({ 9.6: {}, 15: {}, 17: {} })
  const elsewhere = ['/usr/sbin', '/usr/local/sbin', ...[17, 15, 9.6].map((version) => `${versions}/${version}/bin`)]
  assert.deepEqual(programDirectories({ PATH: '/a:/b' }, versions), ['/a', '/b', ...elsewhere])
  assert.deepEqual(programDirectories({}, join(versions, 'absent')), ['/usr/sbin', '/usr/local/sbin'])
  assert.deepEqual(programDirectories({ PATH: '/a:/b', ONLY_PROGRAMS_ON_PATH: 'true' }, versions), ['/a', '/b'])
})
