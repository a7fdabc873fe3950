import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { keepSecrets } from '../../system/secrets.ts'
import { embeddedEnv } from './embedded-env.ts'
import { readSettings } from './read-settings.ts'

/** The data directory of an `npm start`, with its secrets. */
function started(cwd: string) {
  const dataDir = join(cwd, '.tollgate')
  mkdirSync(dataDir)
  return { cwd, secrets: keepSecrets(dataDir) }
}

test('after `npm start` in a directory, its embedded parts count as set', async (t) => {
  const { cwd, secrets } = started(t.testdir())
  const { control, problems, embedded } = readSettings(
    { CONTROL_PORT: '3333', OPENAI_API_KEY: 'sk-x', PUBLIC_URL: '', DATABASE_URL: '' },
    cwd
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(embedded, ['identity', 'payments', 'postgres', 'redis'])
  assert.equal(control?.publicUrl, 'http://localhost:3333')
  assert.equal(control?.identity.serviceRoleKey, secrets.serviceRoleKey)
  assert.equal(control?.databaseUrl, `pglite:${cwd}/.tollgate/postgres`)
})

test('without `npm start`, and in production, nothing counts as set', async (t) => {
  assert.equal(embeddedEnv({}, t.testdir()), null)
  const { cwd } = started(t.testdir())
  assert.equal(embeddedEnv({ NODE_ENV: 'production' }, cwd), null)
})
