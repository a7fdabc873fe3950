import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadControlConfig } from '@tollgate/control/config.ts'
import { knownVariables } from '@tollgate/service/config/known-variables.ts'
import { test } from 'tap'
import { keepSecrets } from '../system/data-directory.ts'
import { embeddedEnv, nearestName, readSettings, repairConfig, type Variables } from './settings.ts'

const right: Variables = {
  PUBLIC_URL: 'https://app.example.com',
  SUPABASE_URL: 'https://x.supabase.co',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost'
}

const repair = (change: Variables) => repairConfig(loadControlConfig, { ...right, ...change })

test('a right configuration stays as it is', async () => {
  const { config, problems, invalid } = repair({})
  assert.equal(config?.publicUrl, 'https://app.example.com')
  assert.deepEqual([problems, invalid.size], [[], 0])
})

test('problems of single variables and of rules between variables are found together', async () => {
  const { config, problems, invalid } = repair({
    SUPABASE_URL: undefined,
    CONTROL_PORT: 'x',
    TRUST_PROXY: 'perhaps',
    CORS_EXTRA_ORIGINS: 'http://localhost/path'
  })
  assert.deepEqual([...invalid].toSorted(), ['CONTROL_PORT', 'CORS_EXTRA_ORIGINS', 'SUPABASE_URL', 'TRUST_PROXY'])
  assert.equal(problems.length, 4)
  assert.equal(config?.redisUrl, 'redis://localhost')
})

test('without PUBLIC_URL, SERVICE_DOMAIN is not called wrong', async () => {
  const { problems } = repair({ PUBLIC_URL: undefined, SERVICE_DOMAIN: 'example.com' })
  assert.equal(problems.length, 1)
  assert.match(problems[0]!, /^PUBLIC_URL: missing/)
})

test('the nearest known name is found for typing errors and forgotten words', async () => {
  const names = [...knownVariables]
  for (const [unknown, expected] of [
    ['STRIPE_SECRTE_KEY', 'STRIPE_SECRET_KEY'],
    ['STRIPE_KEY', 'STRIPE_SECRET_KEY'],
    ['SUPABASE_SERVICE_KEY', 'SUPABASE_SERVICE_ROLE_KEY'],
    ['SUPABASE_SERVICEROLE_KEY', 'SUPABASE_SERVICE_ROLE_KEY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['GATEWAY_URL', 'GATEWAY_PUBLIC_URL'],
    ['UPSTREAM_FILE', 'UPSTREAMS_FILE']
  ]) {
    assert.equal(nearestName(unknown!, names), expected, unknown)
  }
})

test('names of other programs have no nearest name', async () => {
  const names = [...knownVariables]
  for (const name of [
    'PATH',
    'HOME',
    'API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'NODE_OPTIONS',
    'STRIPE_PUBLISHABLE_KEY',
    'LANG',
    'PGHOST'
  ]) {
    assert.equal(nearestName(name, names), null, name)
  }
})

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
