import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { test } from 'tap'
import { defaultPorts } from '../system/ports.ts'
import { completeEnv, loadStartConfig } from './config.ts'

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

test('without variables: the default ports, .tollgate, problems on the terminal, the shipped catalog', async () => {
  const config = loadStartConfig({})
  assert.deepEqual(config.ports, defaultPorts)
  assert.equal(config.dataDir, '.tollgate')
  assert.equal(config.shownLog, 'problems')
  assert.equal(config.hasDemoData, true)
  assert.ok(existsSync(config.catalogFile))
})

test('each port has a variable, and unknown variables are passed on', async () => {
  for (const variable of Object.keys(defaultPorts)) {
    const config = loadStartConfig({ [variable]: '12345', OTHER: 'x' })
    assert.deepEqual(config.ports, { ...defaultPorts, [variable]: 12345 })
    assert.equal(config.env.OTHER, 'x')
  }
})

test('the error names every invalid variable', async () => {
  assert.throws(
    () => loadStartConfig({ CONTROL_PORT: '70000', SANDBOX_REDIS_PORT: 'six', TOLLGATE_LOG: 'none' }),
    (error) => {
      assert.ok(error instanceof ConfigError)
      for (const name of ['CONTROL_PORT', 'SANDBOX_REDIS_PORT', 'TOLLGATE_LOG']) {
        assert.match(error.message, new RegExp(name))
      }
      return true
    }
  )
})
