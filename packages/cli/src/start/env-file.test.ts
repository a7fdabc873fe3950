import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'tap'
import { completeEnv } from './env-file.ts'

test('the file adds missing variables; variables of the environment win, even if empty', async (t) => {
  const directory = t.testdir({
    '.env': '# a comment\nA=file\nB="file # quoted"\nC=file\nexport D=file # comment\nE=\n'
  })
  const env = { A: 'environment', C: '', PATH: '/bin' }
  assert.deepEqual(completeEnv(env, join(directory, '.env')), {
    A: 'environment',
    B: 'file # quoted',
    C: '',
    D: 'file',
    E: '',
    PATH: '/bin'
  })
  assert.deepEqual(env, { A: 'environment', C: '', PATH: '/bin' })
})

test('without a file only the environment counts', async (t) => {
  assert.deepEqual(completeEnv({ A: '1' }, join(t.testdir(), '.env')), { A: '1' })
})

test('secrets are read from the files that variables name', async (t) => {
  const directory = t.testdir({ stripe: 'sk_live_1\n', '.env': '' })
  const env = { STRIPE_SECRET_KEY_FILE: join(directory, 'stripe'), REDIS_URL_FILE: '/nonexistent' }
  assert.deepEqual(completeEnv(env, join(directory, '.env')), {
    STRIPE_SECRET_KEY: 'sk_live_1',
    REDIS_URL_FILE: '/nonexistent'
  })
})

test('an unreadable file is an error', async (t) => {
  assert.throws(() => completeEnv({}, t.testdir()), { code: 'EISDIR' })
})
